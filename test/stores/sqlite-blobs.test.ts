/** Blobs in SQLite: images in chunks, and a search index that may be lost. */
import { afterAll, describe, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { ImagePart, Message } from "../../src/core/message/message.ts";
import { migrateSqlite } from "../../src/stores/sql/migrate-sqlite.ts";
import type { StoreWarning } from "../../src/stores/sql/sql-context.ts";
import { SQLITE_MIGRATIONS } from "../../src/stores/sqlite/sqlite-migrations.ts";
import {
  append,
  aUserMessage,
  batchOf,
  draftOf,
  headOf,
  isMessage,
  read,
  SESSION,
  say,
} from "../../src/testing/store-contract/contract-log.ts";
import { FIRST_SCHEMA_READ, fillFirstSchema, readFirstSchema } from "./first-schema.ts";
import { aSession, sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
const { newPath, open, openDriver, openDatabase } = files;
afterAll(() => files.remove());

const MEGABYTE = 2 ** 20;

function anImage(seed: number, length = 2_000): ImagePart {
  const base64 = Buffer.alloc(length, `pixels of ${seed} `).toString("base64");
  return { type: "image", source: { type: "data", base64 }, mediaType: "image/png" };
}

const showing = (...parts: readonly ImagePart[]): Message => aUserMessage("", { parts });

async function opened() {
  const path = newPath();
  const warnings: StoreWarning[] = [];
  const store = await open(path, { onWarning: (warning) => warnings.push(warning) });
  const database = openDatabase(path);
  database.enableDefensive(false);
  return { path, warnings, store, tenant: await aSession(store), database };
}

describe("images in a SQLite file", () => {
  test("images are stored in chunks of half a megabyte outside of entry rows", async () => {
    const { tenant, database } = await opened();
    await append(tenant, draftOf(showing(anImage(1, 1.2 * MEGABYTE))));
    const chunks = database.prepare("SELECT number, length(data) AS bytes FROM blob_chunks ORDER BY number").all();
    const half = MEGABYTE / 2;
    expect(chunks.map(({ bytes }) => bytes)).toEqual([half, half, Math.floor(1.2 * MEGABYTE) - 2 * half]);
    expect(database.prepare("SELECT max(length(content)) AS most FROM entries").get()?.most).toBeLessThan(500);
  });

  test.each([
    ["missing", "DELETE FROM blob_chunks WHERE number = 1"],
    ["damaged", "UPDATE blob_chunks SET data = zeroblob(length(data)) WHERE number = 1"],
  ])("an image with %s chunks is replaced by a text and reported once", async (_, harm) => {
    const { tenant, database, warnings } = await opened();
    const sent = showing(anImage(1, MEGABYTE), anImage(2));
    await append(tenant, draftOf(sent));
    database.exec(harm);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const [entry] = (await read(tenant)).filter(isMessage);
      expect(entry?.message.parts).toEqual([
        { type: "text", text: expect.stringMatching(/image or file [0-9a-f]{64} is missing/) },
        sent.parts[1],
      ]);
    }
    expect(warnings.map(({ text }) => text)).toEqual([expect.stringMatching(/missing or damaged/)]);
  });

  test("a lost image is restored when another message contains it", async () => {
    const { tenant, database, warnings } = await opened();
    const [first, second] = [showing(anImage(1, MEGABYTE)), showing(anImage(1, MEGABYTE))];
    await append(tenant, draftOf(first));
    database.exec("DELETE FROM blob_chunks WHERE number = 0");
    await append(tenant, draftOf(second));
    expect((await read(tenant)).filter(isMessage).map(({ message }) => message)).toEqual([first, second]);
    expect(warnings).toEqual([]);
  });

  test("deleted images leave no chunk and no reference", async () => {
    const { tenant, database } = await opened();
    await append(tenant, draftOf(showing(anImage(1, MEGABYTE), anImage(2))));
    await tenant.deleteSession(SESSION);
    for (const table of ["blobs", "blob_chunks", "blob_references"]) {
      expect(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()).toEqual({ count: 0 });
    }
  });
});

describe("a search index", () => {
  test.each([
    ["damaged", "UPDATE text_index_data SET block = zeroblob(length(block)) WHERE id > 10"],
    ["empty", "DELETE FROM text_index_data"],
    ["missing", "DROP TABLE text_pieces; DROP TABLE text_index"],
  ])("a search index that is %s hides no hit from searches, is reported, and is rebuilt", async (_, harm) => {
    const { path, store, database, warnings } = await opened();
    const tenant = store.tenant("local");
    await append(tenant, say("The launch code."), ...Array.from({ length: 30 }, (_, index) => say(`Filler ${index}.`)));
    await store.close();
    database.exec(harm);
    const again = (await open(path, { onWarning: (warning) => warnings.push(warning) })).tenant("local");
    const find = async (text: string, order?: "relevance") =>
      (await again.search({ text, limit: 2, order })).map(({ seq }) => seq);
    expect([await find("launch"), await find("LE"), await find("iller 2")]).toEqual([[1], [31, 30], [31, 30]]);
    expect([await find("code launch", "relevance"), await find("zebra")]).toEqual([[1], []]);
    await append(again, say("A later launch."));
    expect(await find("launch")).toEqual([32, 1]);
    const expected = [expect.stringMatching(/search index cannot be used: it is being rebuilt/)];
    expect(warnings.map(({ text }) => text)).toEqual(expected);
    const indexed = () => database.prepare(`SELECT rowid FROM text_index WHERE text_index MATCH '"aun"'`).all();
    await expect.poll(() => indexed().length).toBe(2);
    expect(await find("launch")).toEqual([32, 1]);
  });

  test("that is missing does not prevent deletions", async () => {
    const { store, database, tenant } = await opened();
    const draft = say("The launch code.");
    await append(tenant, draft, say("Two."));
    await store.tenant("local").createSession({ id: "t", createdAt: 0 }, EMPTY_HEAD);
    await tenant.append("t", { entries: [say("A launch.")] });
    const pending = () => database.prepare("SELECT count(*) AS count FROM pending_texts").get();
    await expect.poll(pending).toEqual({ count: 0 });
    database.exec("DROP TABLE text_pieces; DROP TABLE text_index");
    const gone = { type: "delete", messageIds: [draft.id], seqs: [1], dropsSummary: false } as const;
    const erasing = { ...batchOf(await headOf(tenant), gone), erase: [draft.id] };
    expect(await tenant.append(SESSION, erasing)).toMatchObject({ type: "appended" });
    expect(await tenant.deleteSession("t")).toBe(true);
    expect(await tenant.search({ text: "launch", limit: 9 })).toEqual([]);
  });
});

test("a file of the first schema is migrated with all its data", async () => {
  const path = newPath();
  const driver = openDriver(path);
  await migrateSqlite(driver, SQLITE_MIGRATIONS.slice(0, 1));
  await driver.batch(fillFirstSchema("").map((text) => ({ strings: [text], values: [] })));
  const store = await open(path);
  expect(await readFirstSchema(store)).toEqual(FIRST_SCHEMA_READ);
  const shown = showing(anImage(1));
  await store.tenant("local").append("f", { entries: [draftOf(shown)] });
  expect((await store.tenant("local").findMessage("f", shown.id))?.message).toEqual(shown);
});

test("two connections that concurrently add and remove one image never lose an image in use", async () => {
  const path = newPath();
  const [ours, theirs] = [(await open(path)).tenant("local"), (await open(path)).tenant("local")];
  await aSession(await open(path));
  for (let round = 0; round < 10; round += 1) {
    const id = `t${round}`;
    await theirs.createSession({ id, createdAt: 0 }, EMPTY_HEAD);
    await theirs.append(id, { entries: [draftOf(showing(anImage(round)))] });
    const shown = showing(anImage(round));
    await Promise.all([theirs.deleteSession(id), append(ours, draftOf(shown))]);
    expect((await ours.findMessage(SESSION, shown.id))?.message).toEqual(shown);
  }
});
