/** Migrates a file forward only, one transaction for each migration. Newer files are refused and left unchanged. */
import { PalimpsestError } from "../../core/errors.ts";
import { type Row, rawSql, readNumberColumn, readTextColumn, type SqlDriver, type Statement, sql } from "./driver.ts";
import { hashMigration, type Migration, refuseUnknownMigrations } from "./migration.ts";
import { findUnnormalizedTexts, type RewrittenText, TEXTS_PER_BATCH } from "./stored-text.ts";

export const createMigrationsTable = (table: string) => `CREATE TABLE IF NOT EXISTS ${table} (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL
) STRICT`;

interface MigrateOptions {
  readonly table?: string | undefined;
  /** Statements before those of the first migration. */
  readonly before?: readonly string[] | undefined;
}

export async function migrateSqlite(
  driver: SqlDriver,
  migrations: readonly Migration[],
  { table = MIGRATIONS_TABLE, before = [] }: MigrateOptions = {},
): Promise<void> {
  const applied = await readApplied(driver, table);
  refuseUnknownMigrations(driver.name, { applied, migrations });
  for (const migration of migrations.slice(applied.length)) {
    try {
      if (migration.normalizesTexts === true) await normalizeStoredTexts(driver);
      await driver.batch([
        rawSql(createMigrationsTable(table)),
        ...[...(migration.version === 1 ? before : []), ...migration.statements].map(rawSql),
        sql`INSERT INTO ${rawSql(table)} (version, name, hash)
          VALUES (${migration.version}, ${migration.name}, ${hashMigration(migration)})`,
      ]);
    } catch (error) {
      // Another process applied the migration first.
      const since = await readApplied(driver, table);
      if (since.length < migration.version) throw error;
      refuseUnknownMigrations(driver.name, { applied: since, migrations });
    }
  }
}

/** Returns whether a file has exactly these migrations. Writes nothing. */
export async function isMigrated(driver: SqlDriver, migrations: readonly Migration[]): Promise<boolean> {
  const applied = await readApplied(driver);
  refuseUnknownMigrations(driver.name, { applied, migrations });
  return applied.length === migrations.length;
}

async function readApplied(driver: SqlDriver, table = MIGRATIONS_TABLE): Promise<readonly Row[]> {
  const [tables = []] = await driver.read([sql`SELECT 1 FROM sqlite_schema WHERE name = ${table}`]);
  if (tables.length === 0) return [];
  const [steps = []] = await driver.read([sql`SELECT version, hash FROM ${rawSql(table)} ORDER BY version`]);
  return steps;
}

export async function migrateSharedDatabase(driver: SqlDriver, migrations: readonly Migration[]): Promise<void> {
  try {
    await migrateSqlite(driver, migrations);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "config-invalid") throw error;
    const applied = await findTakenNames(driver, migrations).catch(() => []);
    if (applied.length === 0) throw error;
    const text =
      `store: ${driver.name} already has tables of another program with these names: ${applied.join(", ")}. ` +
      "Use a separate database, or rename those tables.";
    throw new PalimpsestError("config-invalid", text, { cause: error, details: { key: "store" } });
  }
}

/** Returns the table names that another program uses already, in a database without our migrations. */
async function findTakenNames(driver: SqlDriver, migrations: readonly Migration[]): Promise<readonly string[]> {
  const made = migrations.flatMap(({ statements }) => statements.flatMap((text) => CREATE_TABLE.exec(text)?.[1] ?? []));
  const [found = [], steps = []] = await driver.read([
    sql`SELECT name FROM sqlite_schema WHERE type = 'table'
      AND name IN (SELECT value FROM json_each(${JSON.stringify([...made, MIGRATIONS_TABLE])})) ORDER BY name`,
    sql`SELECT name FROM pragma_table_info(${MIGRATIONS_TABLE}) WHERE name = 'hash'`,
  ]);
  const names = found.map((row) => readTextColumn(row, "name"));
  return steps.length > 0 ? [] : names;
}

const CREATE_TABLE = /^CREATE (?:VIRTUAL )?TABLE (\w+)/;
const MIGRATIONS_TABLE = "migrations";

export async function normalizeStoredTexts(driver: SqlDriver): Promise<void> {
  await driver.batch([
    sql`CREATE TABLE IF NOT EXISTS text_progress (id INTEGER PRIMARY KEY, through_key INTEGER NOT NULL) STRICT`,
    sql`INSERT INTO text_progress (id, through_key) VALUES (1, 0) ON CONFLICT DO NOTHING`,
  ]);
  const [[progress] = []] = await driver.read([sql`SELECT through_key FROM text_progress`]);
  let throughKey = progress === undefined ? 0 : readNumberColumn(progress, "through_key");
  for (let unsaved = 1; ; unsaved += 1) {
    const [rows = []] = await driver.read([nextTexts(throughKey)]);
    const last = rows.at(-1);
    if (last === undefined) return;
    throughKey = readNumberColumn(last, "entry_key");
    const rewritten = findUnnormalizedTexts(rows).flatMap(rewriteText);
    if (rewritten.length === 0 && unsaved < PORTIONS_BETWEEN_SAVES) continue;
    // Another process may be further, with the same result.
    const progressed = sql`UPDATE text_progress SET through_key = max(through_key, ${throughKey})`;
    await driver.batch([...rewritten, progressed]);
    unsaved = 0;
  }
}

/**
 * Progress is saved after this many portions without changes: reading them again after a restart costs less than saving
 * after each.
 */
const PORTIONS_BETWEEN_SAVES = 50;

function nextTexts(afterKey: number): Statement {
  return sql`
    SELECT t.entry_key, t.text FROM message_texts t
    WHERE t.entry_key > ${afterKey} AND length(t.text) <> length(CAST(t.text AS BLOB))
    ORDER BY t.entry_key LIMIT ${TEXTS_PER_BATCH}`;
}

/** Removes the text from the index and marks it pending. A text erased in the meantime stays erased. */
function rewriteText({ key, text }: RewrittenText): readonly Statement[] {
  return [
    sql`
      DELETE FROM text_index WHERE rowid = ${key}
      AND EXISTS (SELECT 1 FROM message_texts t WHERE t.entry_key = ${key})
      AND NOT EXISTS (SELECT 1 FROM pending_texts q WHERE q.entry_key = ${key})`,
    sql`UPDATE message_texts SET text = ${text} WHERE entry_key = ${key}`,
    sql`
      INSERT INTO pending_texts (entry_key) SELECT entry_key FROM message_texts WHERE entry_key = ${key}
      ON CONFLICT DO NOTHING`,
  ];
}
