/**
 * Makes our tables in a database that an application has tables of its own in. Where both want the same name nothing is
 * changed, and whoever opened it is told which name that is.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { readText, type SqlDriver, sql } from "../sql/driver.ts";
import type { Migration } from "../sql/migration.ts";
import { migrateSqlite } from "./migrate-sqlite.ts";

export async function migrateBeside(driver: SqlDriver, migrations: readonly Migration[]): Promise<void> {
  try {
    await migrateSqlite(driver, migrations);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "config-invalid") throw error;
    const taken = await findTaken(driver, migrations).catch(() => []);
    if (taken.length === 0) throw error;
    const text =
      `store: ${driver.name} has tables of another program with names that are needed here: ${taken.join(", ")}. ` +
      "Use a database of its own, or rename those tables.";
    throw new PalimpsestError("config-invalid", text, { cause: error, details: { key: "store" } });
  }
}

/** Names of ours in a database that never took a step of ours. */
async function findTaken(driver: SqlDriver, migrations: readonly Migration[]): Promise<readonly string[]> {
  const made = migrations.flatMap(({ statements }) => statements.flatMap((text) => CREATED.exec(text)?.[1] ?? []));
  const [found = [], steps = []] = await driver.read([
    sql`SELECT name FROM sqlite_schema WHERE type = 'table'
      AND name IN (SELECT value FROM json_each(${JSON.stringify([...made, STEPS])})) ORDER BY name`,
    sql`SELECT name FROM pragma_table_info(${STEPS}) WHERE name = 'hash'`,
  ]);
  const names = found.map((row) => readText(row, "name"));
  return steps.length > 0 ? [] : names;
}

const CREATED = /^CREATE (?:VIRTUAL )?TABLE (\w+)/;
const STEPS = "migrations";
