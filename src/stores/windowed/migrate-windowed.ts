/**
 * Brings the table of a windowed chat to what this version keeps in it, forward only. An application's own table is
 * taken over as it is: the column for the type of a row is added where it is missing, and every row stays.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { type Row, readNumber, readText, type SqlDriver, type Statement, sql } from "../sql/driver.ts";
import { hashMigration, type Migration, refuseOtherSteps } from "../sql/migration.ts";
import {
  ADD_TYPE_COLUMN,
  COLUMNS,
  CREATE_WINDOW_STEPS,
  TABLE,
  TYPE_COLUMN,
  WINDOWED_MIGRATIONS,
} from "./windowed-migrations.ts";
import type { StoreProfile } from "./windowed-store.ts";

/** After the log's own tables, which its triggers stand on. */
export async function migrateWindowed(driver: SqlDriver, profile: StoreProfile): Promise<void> {
  if (profile !== "windowed-sql") throw invalidProfile(`${JSON.stringify(profile)} is none; use "windowed-sql".`);
  const migrations = WINDOWED_MIGRATIONS;
  const { taken, columns } = await look(driver);
  refuseOtherSteps(driver.name, { taken, migrations });
  if (columns.length > 0) refuseOtherTable(driver.name, columns);
  const isUntyped = columns.length > 0 && !columns.some((column) => readText(column, "name") === TYPE_COLUMN);
  for (const migration of migrations.slice(taken.length)) {
    try {
      await driver.batch(stepOf(migration, migration.version === 1 && isUntyped));
    } catch (error) {
      // Another process took the step between our look and our turn.
      const since = (await look(driver)).taken;
      if (since.length < migration.version) throw error;
      refuseOtherSteps(driver.name, { taken: since, migrations });
    }
  }
}

function stepOf(migration: Migration, isUntyped: boolean): readonly Statement[] {
  const { version, name, statements } = migration;
  return [
    ...[CREATE_WINDOW_STEPS, ...(isUntyped ? [ADD_TYPE_COLUMN] : []), ...statements].map(asStatement),
    sql`INSERT INTO window_migrations (version, name, hash) VALUES (${version}, ${name}, ${hashMigration(migration)})`,
  ];
}

function asStatement(text: string): Statement {
  return { strings: [text], values: [] };
}

interface Found {
  readonly taken: readonly Row[];
  /** Of the application's table; none where there is no such table. */
  readonly columns: readonly Row[];
}

async function look(driver: SqlDriver): Promise<Found> {
  const [tables = [], columns = []] = await driver.read([
    sql`SELECT 1 FROM sqlite_schema WHERE name = 'window_migrations'`,
    sql`SELECT name, type, "notnull" AS is_required, dflt_value FROM pragma_table_info(${TABLE})`,
  ]);
  if (tables.length === 0) return { taken: [], columns };
  const [taken = []] = await driver.read([sql`SELECT version, hash FROM window_migrations ORDER BY version`]);
  return { taken, columns };
}

/** Nothing is written to a table of another shape: it is somebody's, and not this kind of chat's. */
function refuseOtherTable(name: string, columns: readonly Row[]): void {
  const wrong = findWrong(columns);
  if (wrong === undefined) return;
  throw invalidProfile(
    `the table ${TABLE} of ${name} ${wrong}. It needs the columns ${COLUMNS.join(", ")}, ids as text, times as unix ` +
      "seconds, and a default for every other column that must not be null. Change the table, or use another database.",
  );
}

function findWrong(columns: readonly Row[]): string | undefined {
  const types = new Map(columns.map((column) => [readText(column, "name"), readText(column, "type")]));
  const missing = COLUMNS.filter((column) => !types.has(column));
  if (missing.length > 0) return `lacks ${missing.join(", ")}`;
  if (/INT/i.test(types.get("id") ?? "")) return "has numbers for ids";
  if (/CHAR|CLOB|TEXT/i.test(types.get("created_at") ?? "")) return "has texts for times";
  const known = new Set([...COLUMNS, TYPE_COLUMN]);
  const demanded = columns
    .filter((column) => readNumber(column, "is_required") === 1 && column.dflt_value === null)
    .map((column) => readText(column, "name"))
    .filter((column) => !known.has(column));
  return demanded.length > 0 ? `demands ${demanded.join(", ")}, which nobody here can fill in` : undefined;
}

function invalidProfile(text: string): PalimpsestError {
  return new PalimpsestError("config-invalid", `profile: ${text}`, { details: { key: "profile" } });
}
