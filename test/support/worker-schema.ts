/**
 * The tables of the log and of the window as a file for `wrangler d1 migrations apply`: the migrations that a store
 * applies on opening, each with its record, so that opening has nothing left to do.
 */

import { createMigrationsTable } from "../../src/stores/sql/migrate-sqlite.ts";
import { hashMigration, type Migration } from "../../src/stores/sql/migration.ts";
import { SQLITE_MIGRATIONS } from "../../src/stores/sqlite/sqlite-migrations.ts";
import { WINDOWED_MIGRATIONS } from "../../src/stores/windowed/windowed-migrations.ts";

const HEADING = `-- Palimpsest's own tables, and the triggers that keep the rows of the window. Written by the tests: see
-- test/stores/worker-migrations.test.ts. It is not changed by hand; a later version brings a further file.`;

export function workerSchema(): string {
  const statements = [
    createMigrationsTable("migrations"),
    ...SQLITE_MIGRATIONS.flatMap((step) => takenStep("migrations", step)),
    createMigrationsTable("window_migrations"),
    ...WINDOWED_MIGRATIONS.flatMap((step) => takenStep("window_migrations", step)),
  ];
  return `${HEADING}\n${statements.map((text) => `${withoutGaps(text)};\n`).join("\n")}`;
}

/** A new database has no texts to normalize. */
function takenStep(table: string, step: Migration): readonly string[] {
  const { version, name, statements, normalisesTexts = false } = step;
  const mark = `INSERT INTO ${table} (version, name, hash) VALUES (${version}, '${name}', '${hashMigration(step)}')`;
  return [...(normalisesTexts ? [] : statements), mark];
}

/** An empty line ends a statement and occurs nowhere else. */
function withoutGaps(text: string): string {
  return text.trim().replaceAll(/\n\s*\n/g, "\n");
}
