/** One step of a schema. Steps are only ever added, and a step that somebody may have taken is never changed. */
import { PalimpsestError } from "../../core/errors.ts";
import { hashText } from "../../core/message/hash-message.ts";
import { type Row, readNumber, readText } from "./driver.ts";

export interface Migration {
  /** From 1 on, without gaps. */
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
  /** Before the statements, the texts that are searched are put into the form in which they are compared now. */
  readonly normalisesTexts?: boolean | undefined;
}

export function hashMigration({ statements }: Migration): string {
  return hashText(statements.join(";\n"));
}

interface Steps {
  /** version and hash of those that a database took, in order. */
  readonly taken: readonly Row[];
  readonly migrations: readonly Migration[];
}

/** A database that is ahead of this version, or took another step than the one that is known here, is left as it is. */
export function refuseOtherSteps(name: string, { taken, migrations }: Steps): void {
  const version = taken.map((step) => readNumber(step, "version")).at(-1) ?? 0;
  if (version > migrations.length) {
    throw refusal(
      `${name} was written by a newer version of Palimpsest: its schema is ${version}, and this one knows ` +
        `${migrations.length}. Update Palimpsest, or choose another database.`,
    );
  }
  for (const [index, step] of taken.entries()) {
    const known = migrations[index];
    if (known !== undefined && readText(step, "hash") === hashMigration(known)) continue;
    throw refusal(
      `${name} has another schema ${index + 1} than this version of Palimpsest. Use the version that made it, or ` +
        "export its sessions there and import them here.",
    );
  }
}

function refusal(text: string): PalimpsestError {
  return new PalimpsestError("config-invalid", `store: ${text}`, { details: { key: "store" } });
}
