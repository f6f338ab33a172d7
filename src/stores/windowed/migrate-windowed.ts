/** Migrates the table of a windowed chat. An application's table keeps its rows and gets a missing type column. */
import { PalimpsestError } from "../../core/errors.ts";
import { type Row, readNumber, readText, type SqlDriver, sql } from "../sql/driver.ts";
import { migrateSqlite } from "../sqlite/migrate-sqlite.ts";
import { ADD_TYPE_COLUMN, COLUMNS, TABLE, TYPE_COLUMN, WINDOWED_MIGRATIONS } from "./windowed-migrations.ts";
import type { StoreProfile } from "./windowed-store.ts";

/** Runs after the log's own migrations, because the triggers refer to its tables. */
export async function migrateWindowed(driver: SqlDriver, profile: StoreProfile): Promise<void> {
  if (profile !== "windowed-sql")
    throw createProfileError(`${JSON.stringify(profile)} is not a profile; use "windowed-sql".`);
  const [columns = []] = await driver.read([
    sql`SELECT name, type, "notnull" AS is_required, dflt_value FROM pragma_table_info(${TABLE})`,
  ]);
  if (columns.length > 0) refuseIncompatibleTable(driver.name, columns);
  const isUntyped = columns.length > 0 && !columns.some((column) => readText(column, "name") === TYPE_COLUMN);
  const before = isUntyped ? [ADD_TYPE_COLUMN] : [];
  await migrateSqlite(driver, WINDOWED_MIGRATIONS, { table: "window_migrations", before });
}

/** Refuses a table of another shape: it belongs to another program. */
function refuseIncompatibleTable(name: string, columns: readonly Row[]): void {
  const mismatch = findMismatch(columns);
  if (mismatch === undefined) return;
  throw createProfileError(
    `the table ${TABLE} of ${name} ${mismatch}. It needs the columns ${COLUMNS.join(", ")}, ids as text, times as unix ` +
      "seconds, and a default for every other column that must not be null. Change the table, or use another database.",
  );
}

function findMismatch(columns: readonly Row[]): string | undefined {
  const types = new Map(columns.map((column) => [readText(column, "name"), readText(column, "type")]));
  const missing = COLUMNS.filter((column) => !types.has(column));
  if (missing.length > 0) return `lacks ${missing.join(", ")}`;
  if (/INT/i.test(types.get("id") ?? "")) return "has numeric ids";
  if (/CHAR|CLOB|TEXT/i.test(types.get("created_at") ?? "")) return "stores times as text";
  const known = new Set([...COLUMNS, TYPE_COLUMN]);
  const required = columns
    .filter((column) => readNumber(column, "is_required") === 1 && column.dflt_value === null)
    .map((column) => readText(column, "name"))
    .filter((column) => !known.has(column));
  return required.length > 0 ? `requires ${required.join(", ")}, which Palimpsest cannot fill in` : undefined;
}

function createProfileError(text: string): PalimpsestError {
  return new PalimpsestError("config-invalid", `profile: ${text}`, { details: { key: "profile" } });
}
