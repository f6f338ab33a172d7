/**
 * Brings a file to the schema of this version, forward only. Each step is one transaction, so a process that dies on
 * the way leaves the step before it. A file that is ahead of this version, or took another step than the one that is
 * known here, is refused as it is.
 */
import { type Row, type SqlDriver, sql } from "../sql/driver.ts";
import { hashMigration, type Migration, refuseOtherSteps } from "../sql/migration.ts";
import { normaliseStored } from "./normalise-stored.ts";
import { CREATE_STEPS } from "./sqlite-migrations.ts";

export async function migrateSqlite(driver: SqlDriver, migrations: readonly Migration[]): Promise<void> {
  const taken = await readSteps(driver);
  refuseOtherSteps(driver.name, { taken, migrations });
  for (const migration of migrations.slice(taken.length)) {
    try {
      if (migration.normalisesTexts === true) await normaliseStored(driver);
      await driver.batch(stepOf(migration));
    } catch (error) {
      // Another process took the step between our look and our turn.
      const since = await readSteps(driver);
      if (since.length < migration.version) throw error;
      refuseOtherSteps(driver.name, { taken: since, migrations });
    }
  }
}

function stepOf(migration: Migration) {
  const { version, name, statements } = migration;
  return [
    { strings: [CREATE_STEPS], values: [] },
    ...statements.map((text) => ({ strings: [text], values: [] })),
    sql`INSERT INTO migrations (version, name, hash) VALUES (${version}, ${name}, ${hashMigration(migration)})`,
  ];
}

async function readSteps(driver: SqlDriver): Promise<readonly Row[]> {
  const [tables = []] = await driver.read([sql`SELECT 1 FROM sqlite_schema WHERE name = 'migrations'`]);
  if (tables.length === 0) return [];
  const [steps = []] = await driver.read([sql`SELECT version, hash FROM migrations ORDER BY version`]);
  return steps;
}
