/** One migration of a schema. Migrations are only added; a released one never changes. */
import { PalimpsestError } from "../../core/errors.ts";
import { hashText } from "../../core/message/hash-message.ts";
import { type Row, readNumberColumn, readTextColumn } from "./driver.ts";

export interface Migration {
  /** Consecutive, from 1. */
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
  /** Rewrites the search texts into their current normal form before the statements run. */
  readonly normalizesTexts?: boolean | undefined;
}

export function hashMigration({ statements }: Migration): string {
  return hashText(statements.join(";\n"));
}

interface AppliedMigrations {
  /** Version and hash of the migrations that the database has applied, in order. */
  readonly applied: readonly Row[];
  readonly migrations: readonly Migration[];
}

/** Refuses a database that is newer than this version, or that applied a migration with another hash. */
export function refuseUnknownMigrations(name: string, { applied, migrations }: AppliedMigrations): void {
  const version = applied.map((step) => readNumberColumn(step, "version")).at(-1) ?? 0;
  if (version > migrations.length) {
    throw createRefusal(
      `${name} was written by a newer version of Palimpsest: its schema version is ${version}, and this one supports up to ` +
        `${migrations.length}. Update Palimpsest, or choose another database.`,
    );
  }
  for (const [index, step] of applied.entries()) {
    const known = migrations[index];
    if (known !== undefined && readTextColumn(step, "hash") === hashMigration(known)) continue;
    throw createRefusal(
      `Migration ${index + 1} of ${name} differs from that of this version of Palimpsest. Use the version that created it, or ` +
        "export its sessions there and import them here.",
    );
  }
}

function createRefusal(text: string): PalimpsestError {
  return new PalimpsestError("config-invalid", `store: ${text}`, { details: { key: "store" } });
}
