/** Exports of stores that have lost entries: the rest is exported, and a note has the seq of each lost entry. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import type { Palimpsest } from "../src/engine/palimpsest.ts";
import type { Store } from "../src/ports/store.ts";
import { openJsonlStore } from "../src/stores/jsonl/jsonl-store.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { openSqliteStore } from "../src/stores/sqlite/open-sqlite-store.ts";
import { newFolders } from "./support/new-folders.ts";

const newFolder = newFolders("damaged");
let folder = "";
beforeEach(() => {
  folder = newFolder();
});

const open = (store: Store = createMemoryStore()) =>
  openPalimpsest({ store, counter: "estimate", budgetTokens: 1_500 });

const talk = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${word}${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${word} ${index} ${"and words of all kinds ".repeat(10)}`,
  }));

/** Messages, requests, summaries, a pin and an undo. */
async function fill(store: Store): Promise<number> {
  const session = await (await open(store)).session("s");
  await session.append(talk(20, "a"));
  await session.prompt({});
  await session.pin({ note: "Ana decides." });
  await session.append(talk(12, "b"));
  await session.prompt({});
  await session.undo();
  await session.append(talk(6, "c"));
  return (await session.entries()).length;
}

async function linesOf(palimpsest: Palimpsest, id: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of palimpsest.exportSession(id, { secrets: "keep" })) lines.push(line);
  return lines;
}

/** Imports a damaged session, forks it, and imports the fork's export again. Returns the entries after each import. */
async function importTwice(damaged: Palimpsest) {
  const [there, further] = [await open(), await open()];
  await there.importSession(await linesOf(damaged, "s"));
  const session = await there.load("s");
  const fork = await session.fork();
  await fork.append(talk(3, "d"));
  const { sessionId } = await further.importSession(await linesOf(there, fork.id));
  const again = await further.load(sessionId);
  expect((await again.prompt({ preview: true })).messages).toEqual((await fork.prompt({ preview: true })).messages);
  const inherited = (await again.entries()).slice(0, -3);
  return { entries: await session.entries(), inherited, session };
}

describe("a JSONL file that has lost a line", () => {
  test("is exported with a note at the seq of the lost entry, whichever line it is, and can be imported elsewhere", async () => {
    const path = join(folder, "jsonl");
    const store = openJsonlStore({ folder: path });
    const count = await fill(store);
    const whole = await store.tenant("local").readEntries("s", {});
    await store.close();
    const [file = ""] = globSync(join(path, "**", "*.jsonl"));
    const lines = readFileSync(file, "utf8").split("\n");
    let lost = 0;
    for (const [at, line] of lines.entries()) {
      const isMessage = line.includes('"message":{');
      // Messages are alike, so every fifth is enough.
      if (!line.includes('"kind":"entry"') || (isMessage && at % 5 !== 0)) continue;
      writeFileSync(file, lines.with(at, line.replace(/"at":\d/, '"at":x')).join("\n"));
      const damaged = openJsonlStore({ folder: path, onWarning: () => undefined });
      const { entries, inherited } = await importTwice(await open(damaged));
      const gone = whole.filter(({ id }) => !entries.some((entry) => entry.id === id)).map(({ seq }) => seq);
      expect(gone.length).toBe(1);
      const expected = whole.map(({ id, seq }) => (seq === gone[0] ? `unreadable-${seq}` : id));
      expect(entries.map(({ id }) => id)).toEqual(expected);
      expect(inherited.map(({ id }) => id)).toEqual(expected);
      expect(entries.find(({ seq }) => seq === gone[0])).toMatchObject({ type: "note", kind: "warning" });
      const [seq = 0] = gone;
      const known = await damaged.tenant("local").findEntry("s", `unreadable-${seq}`);
      if (whole[seq - 1]?.type === "message") expect(known?.seq).toBe(seq);
      await damaged.close();
      lost += 1;
    }
    expect(lost).toBeGreaterThan(count / 5);
  });
});

describe("a database with an empty row", () => {
  test("is exported with notes in place of lost entries, and is refused if all are lost", async () => {
    const path = join(folder, "rows.db");
    const store = await openSqliteStore(path);
    const count = await fill(store);
    const database = new DatabaseSync(path);
    database.exec("UPDATE entries SET content = '{' WHERE seq IN (2, 7)");
    const damaged = await open(store);
    const { entries, session } = await importTwice(damaged);
    expect(entries.length).toBe(count);
    const lost = entries.filter(({ id }) => id.startsWith("unreadable-"));
    expect(lost.map(({ seq, type, id }) => [seq, type, id])).toEqual([
      [2, "note", "unreadable-2"],
      [7, "note", "unreadable-7"],
    ]);
    expect((await session.append({ role: "user", content: "On we go." })).messages[0]?.seq).toBe(count + 1);
    database.exec("UPDATE entries SET content = '{'");
    await expect(linesOf(damaged, "s")).rejects.toMatchObject({ code: "store-unavailable", retryable: false });
    database.close();
    await store.close();
  });
});
