/** Texts that were stored before the store normalized texts are found after it was opened again. */
import { afterAll, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Store } from "../../src/ports/store.ts";
import { D1Driver } from "../../src/stores/d1/d1-driver.ts";
import { openD1Store } from "../../src/stores/d1/open-d1-store.ts";
import { type SqlDriver, sql } from "../../src/stores/sql/driver.ts";
import { TEXTS_PER_BATCH } from "../../src/stores/sql/stored-text.ts";
import { append, SESSION, say } from "../../src/testing/store-contract/contract-log.ts";
import { startD1 } from "../support/start-d1.ts";
import { sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
const server = await startD1(1);
afterAll(async () => {
  await files.remove();
  await server.close();
});

const DECOMPOSED = "ein cafe\u0301";
/** More texts than one batch of the migration. */
const COUNT = TEXTS_PER_BATCH + 3;

/** Later migrations have to be undone too. */
const WITHOUT_CHECKSUMS = [
  sql`DROP TABLE word_places`,
  sql`DROP TABLE word_progress`,
  sql`ALTER TABLE entries DROP COLUMN checksum`,
  sql`ALTER TABLE heads DROP COLUMN checksum`,
  sql`ALTER TABLE token_counts DROP COLUMN checksum`,
  sql`ALTER TABLE sessions DROP COLUMN checksum`,
  sql`ALTER TABLE sessions DROP COLUMN title_checksum`,
  sql`ALTER TABLE sessions DROP COLUMN preview_checksum`,
];

/** Restores the state before the migration: texts as written, and an index of those. */
async function undoMigration(driver: SqlDriver): Promise<void> {
  await driver.batch([
    sql`UPDATE message_texts SET text = ${DECOMPOSED} WHERE text LIKE 'ein%'`,
    sql`DELETE FROM text_index WHERE rowid IN (SELECT entry_key FROM message_texts WHERE entry_key > 1)`,
    sql`INSERT INTO text_index (rowid, text, scope, session) SELECT entry_key, text, scope, '' FROM message_texts
      WHERE entry_key > 1`,
    // One text is pending.
    sql`DELETE FROM text_index WHERE rowid = 1`,
    sql`INSERT INTO pending_texts (entry_key) VALUES (1)`,
    sql`DROP INDEX entries_weights`,
    sql`ALTER TABLE entries DROP COLUMN tokens`,
    ...WITHOUT_CHECKSUMS,
    sql`DELETE FROM migrations WHERE version > 2`,
  ]);
}

async function fill(store: Store): Promise<void> {
  const tenant = store.tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  await append(tenant, ...Array.from({ length: COUNT }, () => say("Ein Café")), say("Größe"), say("plain"));
  // Pending texts are indexed on close, one portion at a time.
  await store.close();
}

async function found(store: Store): Promise<readonly number[]> {
  const tenant = store.tenant("local");
  const search = async (text: string) => (await tenant.search({ text, limit: 1_000 })).length;
  return [await search("café"), await search(DECOMPOSED), await search("größe"), await search("ei")];
}

async function indexAll(driver: SqlDriver): Promise<void> {
  await driver.batch([
    sql`DELETE FROM text_index WHERE rowid IN (SELECT entry_key FROM message_texts)`,
    sql`INSERT INTO text_index (rowid, text, scope, session) SELECT entry_key, text, scope, '' FROM message_texts`,
    sql`DELETE FROM pending_texts`,
  ]);
}

test("opening a SQLite file normalizes its stored texts and its search index", async () => {
  const path = files.newPath();
  await fill(await files.open(path));
  const driver = files.openDriver(path);
  await indexAll(driver);
  await undoMigration(driver);
  expect(await found(await files.open(path))).toEqual([COUNT, COUNT, 1, COUNT]);
  const texts = await driver.read([sql`SELECT DISTINCT text FROM message_texts ORDER BY text`]);
  expect(texts.flat().map(({ text }) => text)).toEqual(["ein café", "größe", "plain"]);
  expect(files.openDatabase(path).prepare("SELECT 1 FROM sqlite_schema WHERE name = 'text_progress'").all()).toEqual(
    [],
  );
});

test("an interrupted normalization continues after the last normalized text", async () => {
  const path = files.newPath();
  await fill(await files.open(path));
  const driver = files.openDriver(path);
  await indexAll(driver);
  await undoMigration(driver);
  await driver.batch([
    sql`CREATE TABLE text_progress (id INTEGER PRIMARY KEY, through_key INTEGER NOT NULL) STRICT`,
    sql`INSERT INTO text_progress VALUES (1, ${TEXTS_PER_BATCH})`,
  ]);
  await files.open(path);
  const texts = await driver.read([sql`SELECT count(*) AS count FROM message_texts WHERE text = ${DECOMPOSED}`]);
  expect(texts).toEqual([[{ count: TEXTS_PER_BATCH }]]);
});

test("opening a D1 database normalizes its stored texts", async () => {
  const database = server.newDatabase();
  await fill(await openD1Store(database));
  const driver = new D1Driver(database, "d1");
  await indexAll(driver);
  await undoMigration(driver);
  // The store checks each binding once, so the first binding would not be checked again.
  const again = { prepare: (text: string) => database.prepare(text), batch: database.batch.bind(database) };
  expect(await found(await openD1Store(again))).toEqual([COUNT, COUNT, 1, COUNT]);
});
