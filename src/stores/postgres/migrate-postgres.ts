/** Migrates a database forward only, one transaction for each migration, under a lock for all processes. */
import { PalimpsestError } from "../../core/errors.ts";
import { type Row, rawSql, readNumberColumn, type Statement, sql } from "../sql/driver.ts";
import { hashMigration, type Migration, refuseUnknownMigrations } from "../sql/migration.ts";
import { findUnnormalizedTexts, TEXTS_PER_BATCH } from "../sql/stored-text.ts";
import type { PostgresDriver, RunStatement } from "./postgres-driver.ts";
import { CREATE_MIGRATIONS_TABLE, CREATE_SCHEMA, CREATE_TEXT_INDEX, TENANT_TABLES } from "./postgres-migrations.ts";

/** "Pali" in ASCII, visible in the server's list of locks. */
const LOCK = 0x50616c69;

export async function migratePostgres(driver: PostgresDriver, migrations: readonly Migration[]): Promise<void> {
  for (;;) {
    const isDone = await driver.transaction(async (run) => {
      await refuseUnsupportedEncoding(driver, run);
      const applied = await readApplied(run);
      refuseUnknownMigrations(driver.name, { applied, migrations });
      return applied.length === migrations.length;
    });
    if (isDone) return;
    await driver.transaction((run) => applyNext(run, { driver, migrations }));
  }
}

/** Applies the next migration, unless the previous holder of the lock applied it. */
async function applyNext(
  run: RunStatement,
  { driver, migrations }: { readonly driver: PostgresDriver; readonly migrations: readonly Migration[] },
): Promise<void> {
  await run(sql`SELECT pg_advisory_xact_lock(${LOCK}::bigint)`);
  if (!(await isPresent(run, sql`SELECT to_regnamespace('palimpsest') AS found`))) await run(rawSql(CREATE_SCHEMA));
  if (!(await isPresent(run, FIND_MIGRATIONS_TABLE))) await run(rawSql(CREATE_MIGRATIONS_TABLE));
  const applied = await readApplied(run);
  refuseUnknownMigrations(driver.name, { applied, migrations });
  const next = migrations[applied.length];
  if (next === undefined) return;
  if (next.normalizesTexts === true) await normalizeStoredTexts(run);
  for (const text of next.statements) await run(rawSql(text));
  if (next.version === 1) await tryCreateTextIndex(run);
  const { version, name } = next;
  await run(sql`
    INSERT INTO palimpsest.migrations (version, name, hash)
    VALUES (${version}::integer, ${name}, ${hashMigration(next)})`);
}

/** Best effort: without the index, searches scan the texts. */
async function tryCreateTextIndex(run: RunStatement): Promise<void> {
  await run(rawSql("SAVEPOINT text_index"));
  try {
    for (const text of CREATE_TEXT_INDEX) await run(rawSql(text));
    await run(rawSql("RELEASE SAVEPOINT text_index"));
  } catch {
    await run(rawSql("ROLLBACK TO SAVEPOINT text_index"));
  }
}

/** Rewrites search texts into their current normal form. The server skips ASCII texts, which already have it. */
async function normalizeStoredTexts(run: RunStatement): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await run(sql`
      SELECT entry_key, words AS text FROM palimpsest.entries
      WHERE entry_key > ${after}::bigint AND words IS NOT NULL AND octet_length(words) <> length(words)
      ORDER BY entry_key LIMIT ${TEXTS_PER_BATCH}`);
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const { key, text } of findUnnormalizedTexts(rows)) {
      await run(sql`UPDATE palimpsest.entries SET words = ${text} WHERE entry_key = ${key}::bigint`);
    }
    after = readNumberColumn(last, "entry_key");
  }
}

const FIND_MIGRATIONS_TABLE = sql`SELECT to_regclass('palimpsest.migrations') AS found`;

async function readApplied(run: RunStatement): Promise<readonly Row[]> {
  if (!(await isPresent(run, FIND_MIGRATIONS_TABLE))) return [];
  return run(sql`SELECT version, hash FROM palimpsest.migrations ORDER BY version`);
}

async function isPresent(run: RunStatement, question: Statement): Promise<boolean> {
  const [row] = await run(question);
  return row !== undefined && row.found !== null;
}

async function refuseUnsupportedEncoding({ name }: PostgresDriver, run: RunStatement): Promise<void> {
  const [row] = await run(sql`SELECT current_setting('server_encoding') AS encoding`);
  if (row?.encoding === "UTF8") return;
  const text = `store: ${name} is encoded as ${row?.encoding} and cannot store every text. Create it with ENCODING 'UTF8'.`;
  throw new PalimpsestError("config-invalid", text, { details: { key: "store" } });
}

/**
 * Turns on row-level security: the database itself keeps tenants apart, and a statement without a tenant condition sees
 * only its own tenant's rows. The policies are part of the schema and cost nothing until they are forced; forcing them
 * is permanent and applies to every user of the database, its owner included. If this user is not allowed to change the
 * database, it is used as is, with a warning.
 */
export async function forceRowSecurity(driver: PostgresDriver, warn: (text: string) => void): Promise<void> {
  try {
    const isBound = await driver.transaction(applyForce);
    if (isBound) return;
    warn(
      `Row-level security of ${driver.name} does not apply to this user, who is a superuser or has BYPASSRLS. ` +
        "Use a role that owns the database, is not a superuser and does not have BYPASSRLS.",
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`Row-level security of ${driver.name} could not be turned on: ${reason}. Every query still names its tenant.`);
  }
}

/** Returns whether the policies apply to the current user. */
async function applyForce(run: RunStatement): Promise<boolean> {
  const rows = await run(sql`
    SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = to_regnamespace('palimpsest')
    AND c.relrowsecurity AND c.relforcerowsecurity`);
  const forced = new Set(rows.map(({ name }) => name));
  for (const table of TENANT_TABLES.filter((name) => !forced.has(name))) {
    await run(rawSql(`ALTER TABLE palimpsest.${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`));
  }
  const [user] = await run(sql`
    SELECT (r.rolsuper OR r.rolbypassrls)::integer AS passes FROM pg_roles r WHERE r.rolname = current_user`);
  return user?.passes === 0;
}
