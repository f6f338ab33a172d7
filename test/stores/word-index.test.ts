/** The word index of databases: it is built in the background, and finds the messages that the memory store finds. */
import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { findWordKey } from "../../src/core/recall/word-keys.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { findBlock, writeSeqPlace } from "../../src/stores/shared/word-places.ts";
import { append, erase, fork, SESSION, say } from "../../src/testing/store-contract/contract-log.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { aSession, sqliteFiles } from "./sqlite-files.ts";

interface DatabaseAccess {
  open(): Promise<Store>;
  /** Runs a statement; `{}` is the prefix of the tables' names. */
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

const closing = sqliteFiles();
afterAll(closing.remove);

const COLORS = ["red", "green", "blue", "white", "black"];
const THINGS = ["boat", "barrel", "ladder", "window", "garden", "kettle", "anchor"];
/** More than are read without an index. */
const MANY = 260;

const aText = (at: number) => `The ${COLORS[at % 5]} ${THINGS[at % 7]} has number ${at}.`;
const aHistory = (length = MANY) => Array.from({ length }, (_, at) => say(aText(at)));

async function find(tenant: TenantStore, words: readonly string[], id = SESSION) {
  const { messages, counts } = await tenant.findCandidates(id, { words, throughSeq: 100_000, limit: 3 });
  return { seqs: messages.map(({ seq }) => seq), counts: [...counts] };
}

async function throughSeq({ query }: DatabaseAccess): Promise<number> {
  const [row] = await query("SELECT max(through_seq) AS seq FROM {}word_progress");
  return Number(row?.seq ?? 0);
}

/** Starts indexing with a search, and waits until the session is indexed. */
async function indexAll(database: DatabaseAccess, tenant: TenantStore, seq: number): Promise<void> {
  await find(tenant, ["boat"]);
  await expect.poll(() => throughSeq(database)).toBeGreaterThanOrEqual(seq);
}

async function findRow({ query }: DatabaseAccess, word: string, seq: number): Promise<string | undefined> {
  const where = `word = ${findWordKey(word)} AND block = ${findBlock(seq)}`;
  const [row] = await query(`SELECT places FROM {}word_places WHERE ${where}`);
  return row === undefined ? undefined : String(row.places);
}

function describeIndex(createDatabase: () => Promise<DatabaseAccess>): void {
  test("appending and opening do not write the word index, and a search starts building it in the background", async () => {
    const database = await createDatabase();
    const first = await database.open();
    await append(await aSession(first), ...aHistory());
    await first.close();
    const store = await database.open();
    await store.tenant("local").readView(SESSION);
    expect(await database.query("SELECT 1 FROM {}word_progress")).toEqual([]);
    const memory = await aSession(createMemoryStore());
    await append(memory, ...aHistory());
    const words = ["barrel", "blue", "147"];
    const before = await find(store.tenant("local"), words);
    await indexAll(database, store.tenant("local"), MANY);
    expect(await findRow(database, "barrel", 2)).toContain(writeSeqPlace(2));
    expect(await find(store.tenant("local"), words)).toEqual(await find(memory, words));
    expect(before.seqs).toEqual((await find(memory, words)).seqs);
    await store.close();
  });

  test("an erased message is removed from the word index in the same transaction", async () => {
    const database = await createDatabase();
    const store = await database.open();
    const tenant = await aSession(store);
    const secret = say("The zanzibar boat.");
    await append(tenant, say("A boat."), secret, say("Another boat."));
    await indexAll(database, tenant, 3);
    expect(await findRow(database, "zanzibar", 2)).toBe(writeSeqPlace(2));
    await erase(tenant, [secret.id]);
    expect(await findRow(database, "zanzibar", 2)).toBeUndefined();
    expect(await findRow(database, "boat", 2)).toBe(writeSeqPlace(1) + writeSeqPlace(3));
    await store.close();
  });

  test("erasing many messages removes them from the word index, and the rest is indexed again", async () => {
    const database = await createDatabase();
    const store = await database.open();
    const tenant = await aSession(store);
    const history = aHistory(40);
    await append(tenant, ...history);
    await indexAll(database, tenant, 40);
    await erase(
      tenant,
      history.slice(0, 20).map(({ id }) => id),
    );
    expect(await findRow(database, "boat", 1)).toBeUndefined();
    await indexAll(database, tenant, 41);
    expect(await findRow(database, "boat", 1)).toBe([22, 29, 36].map(writeSeqPlace).join(""));
    await store.close();
  });

  test("a fork finds what it inherits, and nothing that its parent says later", async () => {
    const database = await createDatabase();
    const store = await database.open();
    const tenant = await aSession(store);
    await append(tenant, say("A boat."), say("A kettle."), say("An anchor."));
    await fork(tenant, { id: "f", atSeq: 2 });
    await append(tenant, say("The parent's boat."));
    await tenant.append("f", { entries: [say("A ladder."), say("A window."), say("The fork's boat.")] });
    await indexAll(database, tenant, 4);
    await find(tenant, ["boat"], "f");
    await expect.poll(() => throughSeq(database)).toBe(5);
    const { counts } = await tenant.findCandidates("f", { words: ["boat", "anchor"], throughSeq: 9, limit: 9 });
    expect([...counts]).toEqual([
      ["boat", 2],
      ["anchor", 0],
    ]);
    await store.close();
  });

  test("a long message is indexed whole, and a deleted session leaves no words", async () => {
    const database = await createDatabase();
    const store = await database.open();
    const tenant = await aSession(store);
    const numbers = Array.from({ length: 6_000 }, (_, at) => `q${at}x`).join(" ");
    await append(tenant, say(`boat ${numbers}`), say("A kettle."));
    await indexAll(database, tenant, 2);
    expect(await findRow(database, "q5999x", 1)).toBe(writeSeqPlace(1));
    expect((await find(tenant, ["q5998x"])).seqs).toEqual([1, 2]);
    await tenant.deleteSession(SESSION);
    expect(
      await database.query("SELECT word AS seq FROM {}word_places UNION ALL SELECT through_seq FROM {}word_progress"),
    ).toEqual([]);
    await store.close();
  });

  test("words that another version indexed are indexed again", async () => {
    const database = await createDatabase();
    const store = await database.open();
    const tenant = await aSession(store);
    await append(tenant, say("A boat."), say("A kettle."));
    await indexAll(database, tenant, 2);
    await database.query(`UPDATE {}word_places SET word = 1 WHERE word = ${findWordKey("boat")}`);
    await database.query("UPDATE {}word_progress SET version = 0");
    expect((await find(tenant, ["boat"])).seqs).toEqual([1, 2]);
    await expect.poll(() => findRow(database, "boat", 1)).toBe(writeSeqPlace(1));
    expect(await database.query("SELECT places FROM {}word_places WHERE word = 1")).toEqual([]);
    await store.close();
  });
}

describe("the word index of SQLite", () => {
  const files = sqliteFiles();
  afterAll(() => files.remove());

  describeIndex(async () => {
    const path = files.newPath();
    return {
      open: () => files.open(path),
      query: async (text) => files.openDatabase(path).prepare(text.replaceAll("{}", "")).all(),
    };
  });

  test("a damaged word index is rebuilt", async () => {
    const path = files.newPath();
    const warnings: string[] = [];
    const store = await files.open(path, { onWarning: ({ text }) => warnings.push(text) });
    const tenant = await aSession(store);
    await append(tenant, say("A boat."), say("A kettle."));
    await indexAll(
      {
        open: async () => store,
        query: async (text) => files.openDatabase(path).prepare(text.replaceAll("{}", "")).all(),
      },
      tenant,
      2,
    );
    files
      .openDatabase(path)
      .exec("DROP TABLE word_places; CREATE TABLE word_places (tenant, session_key, block, word, places)");
    files
      .openDatabase(path)
      .exec(`INSERT INTO word_places SELECT tenant, session_key, 0, ${findWordKey("boat")}, 7 FROM word_progress`);
    expect((await find(tenant, ["boat"])).seqs).toEqual([]);
    expect(warnings.join()).toContain("search index");
    expect((await find(tenant, ["boat"])).seqs).toEqual([1, 2]);
  });
});

await describePostgres("the word index of PostgreSQL", (server) => {
  afterAll(() => server.close());

  describeIndex(async () => {
    const url = await server.newDatabase();
    return {
      open: () => openPostgresStore(url),
      query: (text) => server.run(text.replaceAll("{}", "palimpsest."), url),
    };
  });
});

test("a process that closes a SQLite store while its words are indexed ends by itself", () => {
  const program = `
    import { openPalimpsest } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};
    const store = ${JSON.stringify(`sqlite:${closing.newPath()}`)};
    const text = "The blue barrel stands beside the garden window. ".repeat(20);
    const messages = Array.from({ length: 250 }, (_, at) => ({ role: "user", content: text + at }));
    for (let time = 0; time < 4; time += 1) {
      const palimpsest = await openPalimpsest({ store });
      const session = await palimpsest.session("long");
      await session.append(messages);
      await session.recall("Where is the barrel?");
      await new Promise((resolve) => setTimeout(resolve, 120 + 6 * time));
      await palimpsest.close();
    }
    console.log("closed");`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([0, "closed\n"]);
});
