/** The search index of a long text, which is built in chunks: in every state, searches return the same as a scan. */
import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Every chunk has words of its own, and so has every border between chunks. */
const NUMBERED = Array.from({ length: 12_000 }, (_, index) => `item${index}`).join(" ");
const LONG = `Alpaca 文 ${NUMBERED} ${"é".repeat(40_000)} the zebra qz`;
const BORDERS = [16_000, 32_000, 48_000, 64_000].map((at) => LONG.slice(at - 20, at + 20));

const places = [
  { kind: "sqlite", store: (path: string) => `sqlite:${path}`, index: (path: string) => path },
  {
    kind: "jsonl",
    store: (path: string) => `jsonl:${path}`,
    index: (path: string) => globSync(`${path}/**/index.db`)[0] ?? "",
  },
];

describe.each(places)("the search index of a long text in a $kind store", ({ store, index }) => {
  const open = (path: string) => openPalimpsest({ store: store(path), counter: "estimate" });

  /** Returns the rows of the index, and the texts that wait for it. */
  function readIndex(path: string) {
    const database = new DatabaseSync(index(path), { readOnly: true });
    const count = (what: string) => Number(database.prepare(`SELECT count(*) AS count FROM ${what}`).get()?.count);
    const seen = { rows: count("text_index"), pending: count("pending_texts") };
    database.close();
    return seen;
  }

  test("is completed by the next process after a stop, and every word is found in the meantime", async () => {
    const path = folder.newPath();
    const first = await open(path);
    await (await first.session("a")).append([
      { role: "user", content: "A short zebra." },
      { role: "user", content: LONG },
    ]);
    await first.close();
    const second = await open(path);
    const find = async (text: string, order?: "relevance") =>
      (await second.search(text, order === undefined ? {} : { order })).map(({ seq }) => seq);
    const expectAll = async () => {
      for (const words of ["alpaca", "item7777 item7778", "éééé", ...BORDERS, "QZ", "文"])
        expect(await find(words)).toEqual([2]);
      expect(await find("zebra")).toEqual([2, 1]);
      expect(await find("zebra alpaca", "relevance")).toEqual([2]);
      expect(await find("zebra item999999")).toEqual([]);
    };
    expect(readIndex(path).pending).toBe(1);
    await expectAll();
    // A process that only reads a JSONL folder does not index.
    await (await second.session("a")).append({ role: "user", content: "Another one." });
    await expect.poll(() => readIndex(path).pending).toBe(0);
    expect(readIndex(path).rows).toBeGreaterThan(BORDERS.length);
    await expectAll();
    await second.close();
  });

  test("keeps no row of an erased text or a deleted session, before and after the text is indexed", async () => {
    const path = folder.newPath();
    const palimpsest = await open(path);
    for (const isIndexed of [false, true]) {
      const [erased, deleted] = [await palimpsest.session(), await palimpsest.session()];
      await erased.append([{ id: `long-${isIndexed}`, role: "user", content: LONG }]);
      await deleted.append([{ role: "user", content: LONG }]);
      const isStarted = () => (isIndexed ? readIndex(path).pending === 0 : readIndex(path).rows > 0);
      await expect.poll(isStarted, { interval: 1 }).toBe(true);
      await erased.delete(`long-${isIndexed}`);
      await palimpsest.deleteSession(deleted.id);
      expect(readIndex(path)).toEqual({ rows: 0, pending: 0 });
      expect(await palimpsest.search("zebra")).toEqual([]);
      await palimpsest.deleteSession(erased.id);
    }
    await palimpsest.close();
  });
});
