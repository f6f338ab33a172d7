/**
 * Brings a database to the schema of this version, forward only. Each step is one transaction under one lock, so any
 * number of processes may open it at once, and one that dies on the way leaves the step before it.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { type Row, readNumber, type Statement, sql } from "../sql/driver.ts";
import { findOtherForms, TEXTS_AT_ONCE } from "../sql/find-other-forms.ts";
import { hashMigration, type Migration, refuseOtherSteps } from "../sql/migration.ts";
import type { PostgresDriver, Run } from "./postgres-driver.ts";
import { CREATE_SCHEMA, CREATE_STEPS, CREATE_TEXT_INDEX } from "./postgres-migrations.ts";

/** "Pali", for whoever looks at the server's locks. */
const LOCK = 0x50616c69;

export async function migratePostgres(driver: PostgresDriver, migrations: readonly Migration[]): Promise<void> {
  for (;;) {
    const isDone = await driver.transaction(async (run) => {
      await refuseOtherEncodings(driver, run);
      const taken = await readSteps(run);
      refuseOtherSteps(driver.name, { taken, migrations });
      return taken.length === migrations.length;
    });
    if (isDone) return;
    await driver.transaction((run) => takeStep(run, { driver, migrations }));
  }
}

/** Whoever had the lock before may have taken it already; then there is nothing to do. */
async function takeStep(
  run: Run,
  { driver, migrations }: { readonly driver: PostgresDriver; readonly migrations: readonly Migration[] },
): Promise<void> {
  await run(sql`SELECT pg_advisory_xact_lock(${LOCK}::bigint)`);
  if (!(await has(run, sql`SELECT to_regnamespace('palimpsest') AS found`))) await run(plain(CREATE_SCHEMA));
  if (!(await has(run, FIND_STEPS))) await run(plain(CREATE_STEPS));
  const taken = await readSteps(run);
  refuseOtherSteps(driver.name, { taken, migrations });
  const next = migrations[taken.length];
  if (next === undefined) return;
  if (next.normalisesTexts === true) await normaliseStored(run);
  for (const text of next.statements) await run(plain(text));
  if (next.version === 1) await tryTextIndex(run);
  const { version, name } = next;
  await run(sql`
    INSERT INTO palimpsest.migrations (version, name, hash)
    VALUES (${version}::integer, ${name}, ${hashMigration(next)})`);
}

/** Without it searches look through the texts one by one. */
async function tryTextIndex(run: Run): Promise<void> {
  await run(plain("SAVEPOINT text_index"));
  try {
    for (const text of CREATE_TEXT_INDEX) await run(plain(text));
    await run(plain("RELEASE SAVEPOINT text_index"));
  } catch {
    await run(plain("ROLLBACK TO SAVEPOINT text_index"));
  }
}

/** Texts of ASCII alone have their form already, and the server passes over them; of the others few change. */
async function normaliseStored(run: Run): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await run(sql`
      SELECT entry_key, words AS text FROM palimpsest.entries
      WHERE entry_key > ${after}::bigint AND words IS NOT NULL AND octet_length(words) <> length(words)
      ORDER BY entry_key LIMIT ${TEXTS_AT_ONCE}`);
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const { key, text } of findOtherForms(rows)) {
      await run(sql`UPDATE palimpsest.entries SET words = ${text} WHERE entry_key = ${key}::bigint`);
    }
    after = readNumber(last, "entry_key");
  }
}

const FIND_STEPS = sql`SELECT to_regclass('palimpsest.migrations') AS found`;

async function readSteps(run: Run): Promise<readonly Row[]> {
  if (!(await has(run, FIND_STEPS))) return [];
  return run(sql`SELECT version, hash FROM palimpsest.migrations ORDER BY version`);
}

async function has(run: Run, question: Statement): Promise<boolean> {
  const [row] = await run(question);
  return row !== undefined && row.found !== null;
}

async function refuseOtherEncodings({ name }: PostgresDriver, run: Run): Promise<void> {
  const [row] = await run(sql`SELECT current_setting('server_encoding') AS encoding`);
  if (row?.encoding === "UTF8") return;
  const text = `store: ${name} is encoded as ${row?.encoding} and cannot hold every text. Create it with ENCODING 'UTF8'.`;
  throw new PalimpsestError("config-invalid", text, { details: { key: "store" } });
}

function plain(text: string): Statement {
  return { strings: [text], values: [] };
}
