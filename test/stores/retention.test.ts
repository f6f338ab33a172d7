/** Retention of summarized messages by policy, through the engine, in memory and in a file. */
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { MessageEntry } from "../../src/core/log/entry.ts";
import type { Store } from "../../src/ports/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { isMessage } from "../../src/testing/store-contract/contract-log.ts";
import { sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
afterAll(() => files.remove());

const PICTURE = Buffer.alloc(3_000, "unmistakable pixels ");

const rareWord = (index: number): string => `unsaid-word-${index}-`;

/** Messages that each contain a detail for which no summary has room. */
const talk = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const text = `Plan ${index}. ${"And more of the same. ".repeat(8)} By the way ${rareWord(index)} ${"so on. ".repeat(20)}`;
    const picture = { type: "image", image: PICTURE.toString("base64"), mediaType: "image/png" };
    if (index % 2 === 1) return { id: `m${index}`, role: "assistant", content: text };
    return { id: `m${index}`, role: "user", content: index === 0 ? [{ type: "text", text }, picture] : text };
  });

/** Creates a conversation whose older part is summarized. */
async function compacted(
  store: Store,
  options: { readonly retention: "tombstone" | "delete"; readonly fork?: number },
) {
  const { retention, fork } = options;
  const palimpsest = await openPalimpsest({ store, counter: "estimate", budgetTokens: 4_000, policy: { retention } });
  const session = await palimpsest.session("s");
  const messages = talk(30);
  await session.append(messages);
  const before = new Map((await session.entries()).filter(isMessage).map((entry) => [entry.seq, entry]));
  if (fork !== undefined) await session.fork(fork);
  expect(await session.compact()).toMatchObject({ type: "compacted" });
  const entries = (await session.entries()).filter(isMessage);
  return { session, messages, before, entries, gone: entries.filter(({ erased }) => erased === true) };
}

const stores: readonly (readonly [string, () => Promise<Store>])[] = [
  ["memory", async () => createMemoryStore()],
  ["a file", () => files.open(files.newPath())],
];

describe.each(stores)("the retention of texts in a store in %s", (_, open) => {
  test("tombstone erases the text and keeps the hash, and the summary records it", async () => {
    const { session, before, gone } = await compacted(await open(), { retention: "tombstone" });
    expect(gone.length).toBeGreaterThan(10);
    for (const { seq, id, hash, at, tokens } of gone) expect(before.get(seq)).toMatchObject({ id, hash, at, tokens });
    expect(gone.every(({ message, tokens }) => message.parts.length === 0 && Object.keys(tokens).length > 0)).toBe(
      true,
    );
    expect(await session.search(rareWord(1))).toEqual([]);
    expect((await session.entries({ types: ["summary"] }))[0]).toMatchObject({ erases: true });
    expect(await session.undo()).toMatchObject({ type: "not-undoable" });
  });

  test("tombstone and delete still let sync recognize a resent list", async () => {
    for (const retention of ["tombstone", "delete"] as const) {
      const { session, messages } = await compacted(await open(), { retention });
      expect(await session.sync(messages)).toMatchObject({ type: "unchanged" });
    }
  });

  test("delete leaves no hash, and tombstone keeps what a fork reads", async () => {
    const { gone } = await compacted(await open(), { retention: "delete" });
    expect(new Set(gone.map(({ hash }) => hash))).toEqual(new Set([""]));
    const forked = await compacted(await open(), { retention: "tombstone", fork: 12 });
    expect(forked.gone.length).toBeGreaterThan(0);
    expect(forked.gone.every(({ seq }) => seq > 12)).toBe(true);
  });
});

/** Creates thirty messages, a fork of the first twelve, and a summary of the older part. */
async function forkedAndCompacted(store: Store, retention: "tombstone" | "delete") {
  const palimpsest = await openPalimpsest({ store, counter: "estimate", budgetTokens: 4_000, policy: { retention } });
  const session = await palimpsest.session("s");
  await session.append(talk(30));
  const fork = await session.fork(12);
  expect(await session.compact()).toMatchObject({ type: "compacted" });
  const tenant = store.tenant("local");
  /** Returns the seqs among the first twelve whose text was erased. */
  const gone = async () =>
    (await tenant.readEntries("s", { throughSeq: 12 })).flatMap((entry) =>
      isMessage(entry) && entry.erased === true ? [entry.seq] : [],
    );
  return { palimpsest, session, fork, gone };
}

const FIRST_TWELVE = Array.from({ length: 12 }, (_, index) => index + 1);
const more = (from: number, count: number) =>
  talk(from + count)
    .slice(from)
    .map((message) => ({ ...message, id: `more-${message.id}` }));

describe.each(stores)("covered text that a fork reads, in a store in %s", (_, open) => {
  test("is erased when the fork is deleted", async () => {
    for (const retention of ["tombstone", "delete"] as const) {
      const { palimpsest, session, fork, gone } = await forkedAndCompacted(await open(), retention);
      expect(await gone()).toEqual([]);
      await palimpsest.deleteSession(fork.id);
      expect(await gone()).toEqual(FIRST_TWELVE);
      expect(await session.search(rareWord(1))).toEqual([]);
      const [first] = (await session.entries()).filter(isMessage);
      expect(first?.hash === "").toBe(retention === "delete");
      expect((await session.prompt({ preview: true })).messages.length).toBeGreaterThan(1);
    }
  });

  test("is erased when the fork folds it too", async () => {
    const { session, fork, gone } = await forkedAndCompacted(await open(), "delete");
    await fork.append(more(12, 4));
    const asked = await fork.prompt({ preview: true });
    expect(JSON.stringify(asked.messages)).toContain(rareWord(1));
    await fork.append(more(16, 20));
    expect(await fork.compact()).toMatchObject({ type: "compacted" });
    expect(await gone()).toEqual(FIRST_TWELVE);
    expect((await session.entries()).filter(isMessage).length).toBe(30);
  });

  test("is erased by the next compaction of its own session if a crash prevented it before", async () => {
    const store = await open();
    const { session, fork, gone } = await forkedAndCompacted(store, "delete");
    // The same state as after a crash between the deletion of the fork and the erasure.
    await store.tenant("local").deleteSession(fork.id);
    expect(await gone()).toEqual([]);
    await session.append(more(30, 20));
    expect(await session.compact()).toMatchObject({ type: "compacted" });
    expect(await gone()).toEqual(FIRST_TWELVE);
    const summaries = await session.entries({ types: ["summary"] });
    expect(summaries.map((entry) => entry.type === "summary" && entry.withheld !== undefined)).toEqual([true, false]);
  });

  test("is kept while another fork reads it, even a fork of a fork", async () => {
    const { palimpsest, session, fork, gone } = await forkedAndCompacted(await open(), "delete");
    const inner = await fork.fork(5);
    expect(await palimpsest.deleteSession(fork.id)).toMatchObject({ type: "has-forks" });
    const other = await session.fork(31);
    await palimpsest.deleteSession(other.id);
    expect(await gone()).toEqual([]);
    await fork.append(more(12, 24));
    expect(await fork.compact()).toMatchObject({ type: "compacted" });
    expect((await gone()).filter((seq) => seq <= 5)).toEqual([]);
    expect((await gone()).length).toBeGreaterThan(3);
    await palimpsest.deleteSession(inner.id);
    expect((await gone()).filter((seq) => seq <= 5)).toEqual([1, 2, 3, 4, 5]);
  });

  test("is kept if the fork's policy keeps everything", async () => {
    const store = await open();
    const { fork, gone } = await forkedAndCompacted(store, "delete");
    const keeping = await openPalimpsest({ store, counter: "estimate", budgetTokens: 4_000 });
    const session = await keeping.session(fork.id);
    await session.append(more(12, 24));
    expect(await session.compact()).toMatchObject({ type: "compacted" });
    expect(await gone()).toEqual([]);
    expect(JSON.stringify(await session.entries())).toContain(rareWord(1));
  });
});

test.each(["tombstone", "delete"] as const)(
  "the file does not contain text that the retention %s has erased",
  async (retention) => {
    const path = files.newPath();
    const store = await files.open(path);
    const { session, gone, entries } = await compacted(store, { retention });
    const quoted = JSON.stringify(await session.entries({ types: ["summary"] }));
    const written = Buffer.concat([readFileSync(path), readFileSync(`${path}-wal`)]).toString("latin1");
    const isThere = ({ seq }: MessageEntry) => written.includes(rareWord(seq - 1));
    expect(entries.filter(({ erased }) => erased !== true).every(isThere)).toBe(true);
    const unquoted = gone.filter(({ seq }) => !quoted.includes(rareWord(seq - 1)));
    expect(unquoted.length).toBeGreaterThan(2);
    expect(unquoted.filter(isThere)).toEqual([]);
    expect(written).not.toContain("unmistakable pixels");
    expect((await store.tenant("local").statistics()).blobs.count).toBe(0);
  },
);
