/** The cost of reads from a file, and its search index. */
import { afterAll, describe, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Row, SqlDriver, Statement } from "../../src/stores/sql/driver.ts";
import { createSqlStore } from "../../src/stores/sql/sql-store.ts";
import { SQLITE_STATEMENTS } from "../../src/stores/sqlite/sqlite-statements.ts";
import {
  append,
  appendChange,
  batchOf,
  headOf,
  SESSION,
  say,
  truncate,
} from "../../src/testing/store-contract/contract-log.ts";
import { describeLongViews } from "./describe-long-views.ts";
import { aSession, sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
const { newPath, open, openDriver, openDatabase } = files;
afterAll(() => files.remove());

/** Wraps a driver to count the rows that it reads. */
function watched(driver: SqlDriver): SqlDriver & { rows: number } {
  const count = (results: readonly (readonly Row[])[] | undefined) => {
    for (const rows of results ?? []) counting.rows += rows.length;
  };
  const counting = {
    rows: 0,
    name: driver.name,
    read: async (statements: readonly Statement[]) => {
      const results = await driver.read(statements);
      count(results);
      return results;
    },
    batch: (statements: readonly Statement[]) => driver.batch(statements),
    close: () => driver.close(),
  };
  return counting;
}

describe("a long conversation", () => describeLongViews(() => open(newPath())));

describe("the cost of a read", () => {
  test("the cost of reading a view depends on the view, not on the log", async () => {
    const path = newPath();
    await open(path);
    const driver = watched(openDriver(path));
    const tenant = await aSession(createSqlStore({ driver, statements: SQLITE_STATEMENTS }));
    await append(tenant, ...Array.from({ length: 5_000 }, (_, index) => say(`Message ${index}.`)));
    await appendChange(tenant, truncate(4_990));
    driver.rows = 0;
    expect((await tenant.readView(SESSION))?.entries.length).toBe(11);
    expect(driver.rows).toBeLessThanOrEqual(11 + 2);
    driver.rows = 0;
    await tenant.readEntries(SESSION, { newestFirst: true, throughSeq: 2_500, limit: 10 });
    await tenant.readEntries(SESSION, { types: ["truncate"] });
    expect(driver.rows).toBeLessThanOrEqual(10 + 1 + 2);
  });

  const place = { tenant: "local", id: SESSION };
  const marked = { ...place, mark: "" };
  const segment = { tenant: "local", key: 1, throughSeq: 9 };
  const claim = {
    ids: ["a"],
    messageCount: 1,
    updatedAt: 0,
    firstMessage: undefined,
    expect: undefined,
    expectedLastSeq: null,
    epoch: null,
  };
  const erased = {
    id: "a",
    type: "message",
    at: 0,
    hash: "",
    content: "",
    tokens: null,
    checksum: 0,
    key: 1,
    seq: 1,
    blobs: ["h"],
  } as const;
  const blob = { hash: "h", bytes: 1, chunks: [new Uint8Array(1)] };
  const words = Array.from({ length: 16 }, (_, index) => `abc${index}`);
  const search = { tenant: "local", words, columns: "entry" as const, role: undefined, limit: 9, segment };
  const ranked = { ...search, segment: undefined, columns: "score" as const };
  const end = { key: 9, seq: 9 };
  const hidden = { tenant: "local", key: 1 };
  const of = SQLITE_STATEMENTS;
  const statements: Readonly<Record<string, readonly Statement[]>> = {
    findSession: [of.findSession(place), of.findHead(place)],
    listSessions: [of.listSessions("local", { limit: 9, after: { updatedAt: 0, id: "" } }), of.listForks(place)],
    append: [of.claim(marked, claim), of.insertEntry(marked, { ...erased, followedBy: 0 })],
    insertText: of.insertText(marked, { id: "a", role: "user", text: "" }),
    insertBlobs: [...of.insertBlob(marked, blob), of.insertReferences(marked, { blobs: ["h"], followedBy: 0 })],
    readBlob: [of.readBlob("local", "h"), ...of.countTenant("local")],
    eraseEntry: of.eraseEntry(marked, erased),
    deleteSession: [of.hideSession(marked), of.findHidden(), ...of.removeSlice(hidden, 9)],
    removeLocally:
      of.localRemoval === undefined
        ? []
        : [
            of.localRemoval.findSeqs(hidden),
            of.localRemoval.measureEntries(hidden, 9),
            ...of.localRemoval.unindex(hidden, { fromSeq: 1, throughSeq: 9, step: 2 }),
            of.localRemoval.removeChunks(hidden, { entries: 9, chunks: 2 }),
          ],
    readView: [
      ...[undefined, 7].map((afterSeq) => of.readViewEntries(place, { afterSeq, count: 9 })),
      of.readKeptEntries(place),
    ],
    readEntries: [of.readEntries(segment, {}), of.readEntries(segment, { types: ["note"] })],
    findEntries: [
      of.readEntriesById(segment, ["a"]),
      of.readEntriesAt(segment, [1]),
      of.readMessageKeys(segment, { afterSeq: 7, limit: 9 }),
    ],
    weighMessages: [of.weighMessages(segment, [{ firstSeq: 1, lastSeq: 9 }]), of.findSummary(place)],
    addCounts: of.addCounts(segment, "a", [[1, 1, 1]]),
    search: [of.findScanEnd(search, 9), of.scanTexts(search, end), of.findIndexed(search, end)],
    searchEverywhere: [
      of.findScanEnd({ ...search, segment: undefined }, 9),
      of.scanTexts({ ...search, segment: undefined }, end),
      of.findIndexed({ ...search, segment: undefined }, end),
    ],
    ranked: [of.scanTexts(ranked, end), of.findIndexed(ranked, end), of.readHits("local", [1])],
  };

  test.each(Object.entries(statements))("the statements of %s use indexes", async (name, planned) => {
    const path = newPath();
    await open(path);
    const database = openDatabase(path);
    const steps = planned.flatMap(({ strings, values }) =>
      database.prepare(`EXPLAIN QUERY PLAN ${strings.join("?")}`).all(...values),
    );
    const scans = steps.map(({ detail }) => String(detail)).filter((detail) => detail.startsWith("SCAN"));
    // JSON lists and the search index are scanned differently; the others are limited lists.
    const isLimited = /VIRTUAL TABLE INDEX|^SCAN (?:sampled|rarest|tenants|places|oldest|shown|CONSTANT ROW)$/;
    expect(scans.filter((detail) => !isLimited.test(detail))).toEqual([]);
    // With only seq and tenant, finding one id would scan the whole session; only a deletion reads all of it.
    if (name === "deleteSession" || name === "removeLocally") return;
    expect(steps.filter(({ detail }) => /entries_1 \(tenant=\? AND session_key=\?\)/.test(String(detail)))).toEqual([]);
  });

  test("every statement has at most a hundred values", () => {
    for (const { values } of Object.values(statements).flat()) expect(values.length).toBeLessThanOrEqual(100);
  });
});

describe("the search index", () => {
  test("contains new texts soon, and no erased ones", async () => {
    const path = newPath();
    const tenant = await aSession(await open(path));
    const database = openDatabase(path);
    const count = (table: string) => database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count;
    const draft = say("The launch code.");
    await append(tenant, draft, ...Array.from({ length: 99 }, (_, index) => say(`Filler ${index}.`)));
    expect(count("pending_texts")).toBe(100);
    await expect.poll(() => count("pending_texts")).toBe(0);
    const proposed = () => database.prepare(`SELECT rowid FROM text_index WHERE text_index MATCH '"aun"'`).all().length;
    expect(proposed()).toBe(1);
    const gone = { type: "delete", messageIds: [draft.id], seqs: [1], dropsSummary: false } as const;
    await tenant.append(SESSION, { ...batchOf(await headOf(tenant), gone), erase: [draft.id] });
    expect([proposed(), count("message_texts")]).toEqual([0, 99]);
    await tenant.deleteSession(SESSION);
    expect([count("message_texts"), count("entries"), count("heads")]).toEqual([0, 0, 0]);
  });

  test("finds older messages by short and long words", async () => {
    const path = newPath();
    const store = await open(path);
    await store.tenant("other").createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    // Simulates this many earlier sessions.
    openDatabase(path).exec("UPDATE sqlite_sequence SET seq = 40000000 WHERE name = 'sessions'");
    const tenant = await aSession(store);
    await append(tenant, say("A zebra qz."), say("ends in 文"));
    for (let part = 0; part < 5; part += 1) {
      await append(tenant, ...Array.from({ length: 500 }, (_, index) => say(`Filler ${index}.`)));
    }
    const find = async (text: string, sessionId?: string) =>
      (await tenant.search({ text, limit: 9, sessionId })).map(({ seq }) => seq);
    const pending = () => openDatabase(path).prepare("SELECT count(*) AS count FROM pending_texts").get();
    for (const isIndexed of [false, true]) {
      if (isIndexed) await expect.poll(pending).toEqual({ count: 0 });
      expect([await find("zebra"), await find("QZ"), await find("文"), await find("z")]).toEqual([[1], [1], [2], [1]]);
      expect([await find("zebra", SESSION), await find("qz", SESSION)]).toEqual([[1], [1]]);
      expect(await find("zebrq")).toEqual([]);
    }
  });

  test("is completed by the next process that opens the file", async () => {
    const path = newPath();
    const first = await open(path);
    const tenant = await aSession(first);
    await append(tenant, ...Array.from({ length: 100 }, (_, index) => say(`Filler ${index}.`)));
    await first.close();
    const database = openDatabase(path);
    const pending = () => Number(database.prepare("SELECT count(*) AS count FROM pending_texts").get()?.count);
    expect(pending()).toBeGreaterThan(0);
    await open(path);
    await expect.poll(pending).toBe(0);
  });
});
