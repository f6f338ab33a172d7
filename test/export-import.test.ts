/** Sessions as files: an export can be imported unchanged, and a damaged file is refused as a whole. */
import { createHash } from "node:crypto";
import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import { PalimpsestError } from "../src/core/errors.ts";
import { foldEntries } from "../src/core/log/fold-entry.ts";
import type { Palimpsest } from "../src/engine/palimpsest.ts";
import type { LineSource } from "../src/engine/transfer/import-session.ts";
import { splitLines } from "../src/engine/transfer/split-lines.ts";
import type { AppendBatch, EntryRange, Store, TenantStore } from "../src/ports/store.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { openSqliteStore } from "../src/stores/sqlite/open-sqlite-store.ts";
import { scriptedClock } from "../src/testing/scripted-clock.ts";
import { sessionCommands } from "./support/generate-session-commands.ts";
import { newFolders } from "./support/new-folders.ts";
import { playSession } from "./support/play-session.ts";
import { propertyRuns } from "./support/property-runs.ts";

const newFolder = newFolders("export");
let folder = "";
beforeEach(() => {
  folder = newFolder();
});

const open = (store: Store = createMemoryStore()) =>
  openPalimpsest({ store, counter: "estimate", budgetTokens: 2_000 });
const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

async function linesOf(palimpsest: Palimpsest, id: string, secrets: "keep" | "redact" = "keep"): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of palimpsest.exportSession(id, { secrets })) lines.push(line);
  return lines;
}

/** Appends messages to a session, pins one, and prepares a prompt, which compacts a long history. */
async function aLongSession(palimpsest: Palimpsest, id = "long", count = 240): Promise<void> {
  const session = await palimpsest.session(id);
  const words = "the quick brown fox jumps over the lazy dog ".repeat(3);
  const messages = Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? user(`${index} ${words}`) : assistant(`${index} ${words}`),
  );
  const { messages: placed } = await session.append(messages);
  await session.pin(placed[3]?.id ?? "");
  await session.prompt({ next: user("And now?") });
}

/** Returns a session's entries and its folded head, as values that can be compared between stores. */
async function contentOf(store: Store, { id, isCounted }: { readonly id: string; readonly isCounted: boolean }) {
  const tenant = store.tenant("local");
  const [view, entries] = [await tenant.readView(id), await tenant.readEntries(id, {})];
  const bare = entries.map((entry) => {
    if (entry.type !== "message") return entry;
    return { ...entry, recounts: undefined, tokens: isCounted ? entry.tokens : undefined };
  });
  const folded = view && foldEntries(view.entries, view.head);
  const head = folded && { ...folded, totals: isCounted ? folded.totals : undefined };
  return JSON.parse(
    JSON.stringify({ entries: bare, head, created: view?.header.createdAt, title: view?.header.title }),
  );
}

describe("an exported session", () => {
  test("is equal to the original after its import, in memory and on SQLite", async () => {
    let files = 0;
    await fc.assert(
      fc.asyncProperty(sessionCommands({ maxCommands: 25 }), async (commands) => {
        const { store, session } = await playSession({ commands, budgetTokens: 700 });
        const palimpsest = await open(store);
        const lines = await linesOf(palimpsest, session.id);
        const messages = await session.entries({ types: ["message"] });
        // An import counts messages again, so the counts are equal only if the same counter made them.
        const isCounted = messages.every((entry) => entry.type === "message" && "estimate@1" in entry.tokens);
        const before = await contentOf(store, { id: session.id, isCounted });
        // Files are slower, so only every eighth run uses one.
        const isFile = files++ % 8 === 0;
        const other = isFile ? await openSqliteStore(join(folder, `${files}.db`)) : createMemoryStore();
        const there = await open(other);
        await there.importSession(lines);
        const after = await contentOf(other, { id: session.id, isCounted });
        expect(after.entries).toEqual(before.entries);
        // An imported fork is independent, and its head names its parent.
        const fork = (await store.tenant("local").findSession(session.id))?.header.fork;
        expect(after).toEqual(
          fork === undefined ? before : { ...before, head: { ...before.head, importedFork: fork } },
        );
        expect((await linesOf(there, session.id)).length).toBe(lines.length);
        const ask = async (engine: Palimpsest) =>
          (await (await engine.session(session.id)).prompt({ preview: true, budgetTokens: 1_000_000 })).messages;
        expect(await ask(there)).toEqual(await ask(palimpsest));
        await there.close();
      }),
      // Fewer runs than usual, because each plays, writes and reads a whole session.
      { numRuns: propertyRuns(60) },
    );
  });

  test("continues in the same state: a pin is live, and an undo reverts the last change", async () => {
    const palimpsest = await open();
    await aLongSession(palimpsest);
    const there = await open();
    expect(await there.importSession(palimpsest.exportSession("long", { secrets: "keep" }))).toMatchObject({
      sessionId: "long",
      messages: 241,
    });
    const session = await there.load("long");
    expect((await session.plan()).runs.some(({ fate }) => fate === "pinned")).toBe(true);
    expect(await session.undo()).toMatchObject({ type: "undone" });
    expect((await there.sessions())[0]).toMatchObject({ id: "long", messageCount: 241 });
  });

  test("arrives unchanged in a third store, even as an imported and compacted fork", async () => {
    const palimpsest = await open();
    const parent = await palimpsest.session("parent");
    await aLongSession(palimpsest, "parent", 24);
    await parent.compact();
    const fork = await parent.fork();
    const [there, beyond] = [await open(), await open()];
    await there.importSession(palimpsest.exportSession(fork.id, { secrets: "keep" }));
    const session = await there.load(fork.id);
    await session.append(Array.from({ length: 12 }, () => [user("Tell me."), assistant("fox ".repeat(60))]).flat());
    expect(await session.compact()).toMatchObject({ type: "compacted" });
    const lines = await linesOf(there, fork.id);
    await beyond.importSession(lines);
    expect(await linesOf(beyond, fork.id)).toEqual(lines);
    const carried = await beyond.load(fork.id);
    expect(await carried.usage()).toMatchObject({ inherited: { throughSeq: (await parent.entries()).length } });
    expect(await carried.undo()).toMatchObject({ type: "undone" });
  });

  test("keeps its images, and gets another id on request", async () => {
    const palimpsest = await open();
    const image = { type: "image", source: { type: "data", base64: Buffer.from("pixels").toString("base64") } };
    const session = await palimpsest.create({ id: "a", title: "Pictures" });
    await session.append([{ id: "m", role: "user", parts: [image] }], { format: "palimpsest" });
    const lines = await linesOf(palimpsest, "a", "redact");
    await expect(palimpsest.importSession(lines)).rejects.toMatchObject({ code: "session-exists" });
    await palimpsest.importSession(lines, { id: "b" });
    expect(await (await palimpsest.load("b")).transcript()).toMatchObject([{ parts: [image] }]);
    expect((await palimpsest.sessions()).map(({ title }) => title)).toEqual(["Pictures", "Pictures"]);
  });

  test("contains no secret unless the caller allows it, and can still be imported", async () => {
    const palimpsest = await open();
    const session = await palimpsest.session("a");
    const key = `AKIA${"IOSFODNN7QXAMPLZ"}`;
    const call = { type: "tool-call", toolCallId: "c", toolName: "login", input: { password: "hunter2-is-long" } };
    await session.append([user(`The key is ${key}.`), { role: "assistant", content: [call] }]);
    await session.pin({ note: `Remember ${key}.` });
    const redacted = (await linesOf(palimpsest, "a", "redact")).join("\n");
    expect(redacted).not.toContain(key);
    expect(redacted).not.toContain("hunter2");
    expect(redacted).toMatch(/\[secret:[a-z-]+:[0-9a-f]{6}\]/);
    expect((await linesOf(palimpsest, "a", "keep")).join("\n")).toContain(key);
    expect(await (await open()).importSession(redacted.split("\n"))).toMatchObject({ messages: 2 });
  });

  test("ends in a checksum that other programs can compute", async () => {
    const palimpsest = await open();
    await aLongSession(palimpsest);
    const lines = await linesOf(palimpsest, "long");
    const sum = createHash("sha256")
      .update(
        lines
          .slice(0, -1)
          .map((line) => `${line}\n`)
          .join(""),
      )
      .digest("hex");
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ end: { entries: lines.length - 2, sha256: sum } });
  });
});

describe("an import accepts", () => {
  const written = async () => {
    const palimpsest = await open();
    await aLongSession(palimpsest, "long", 24);
    const lines = await linesOf(palimpsest, "long");
    const file = join(folder, "long.jsonl");
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
    return { lines, file };
  };

  test("a file as a stream, as text, as bytes, and lines with any line ending", async () => {
    const { lines, file } = await written();
    const text = readFileSync(file, "utf8");
    const sources: readonly LineSource[] = [
      () => createReadStream(file, "utf8"),
      () => createReadStream(file, { highWaterMark: 7 }),
      createReadStream(file),
      text,
      text.trimEnd(),
      text.replaceAll("\n", "\r\n"),
      Buffer.from(text),
      () => text,
      () => readFile(file, "utf8"),
      lines,
      lines.map((line) => `${line}\n`),
      lines.flatMap((line) => [line, "\n"]),
      lines.flatMap((line) => [line, "\r", "\n"]),
    ];
    for (const source of sources) {
      expect(await (await open()).importSession(source)).toMatchObject({ sessionId: "long", messages: 25 });
    }
  });

  test("a fork that counts with two counters, which can be forked and exported again", async () => {
    const palimpsest = await open();
    const talk = async (id: string, turns: number) => {
      const session = await palimpsest.session(id);
      for (let turn = 0; turn < turns; turn += 1) {
        const next = user(`question ${turn} ${"about the pier ".repeat(12)}`);
        const prompt = await session.prompt({ model: "claude-opus-5-5", next });
        await session.append(assistant(`answer ${turn} ${"the tide is high ".repeat(12)}`), { promptId: prompt.id });
      }
      return session;
    };
    const fork = await (await talk("parent", 40)).fork(60);
    await talk(fork.id, 3);
    await palimpsest.importSession(await linesOf(palimpsest, fork.id), { id: "imported" });
    const again = await (await talk("imported", 15)).fork(30);
    const lines = await linesOf(palimpsest, again.id);
    expect(await palimpsest.importSession(lines, { id: "last" })).toMatchObject({ sessionId: "last" });
    const counted = lines.slice(1).flatMap((line) => Object.values(JSON.parse(line).entry?.tokens ?? {}));
    const { totals } = JSON.parse(lines[0] ?? "").head;
    const sum = (values: readonly unknown[]) => values.reduce((left: number, right) => left + Number(right), 0);
    expect(sum(Object.values(totals))).toBe(sum(counted));
  });

  test("neither values without text nor an empty id", async () => {
    const { lines } = await written();
    const there = await open();
    const wrong: readonly unknown[] = [undefined, null, 5, {}, [5], () => 5, () => [null]];
    for (const source of wrong) {
      await expect(there.importSession(source as LineSource)).rejects.toMatchObject({ code: "config-invalid" });
    }
    await expect(there.importSession(lines, { id: "" })).rejects.toMatchObject({ code: "config-invalid" });
    const nameless = lines.with(0, (lines[0] ?? "").replace('"id":"long"', '"id":""'));
    await expect(there.importSession(nameless)).rejects.toThrow(
      "line 1 cannot be used: session.id: expected a non-empty string",
    );
    expect(await there.sessions()).toEqual([]);
  });

  test("lines with U+2028 and empty lines, for any split into chunks", async () => {
    const lines = ['{"a":"\u2028é"}', "", '{"b":"文\u{1F600}"}', "{}", "x"];
    const bytes = Buffer.from(lines.join("\n"));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (places) => {
        const cuts = [0, ...places.toSorted((left, right) => left - right), bytes.length];
        const pieces = cuts.slice(1).map((cut, index) => bytes.subarray(cuts[index], cut));
        const found: string[] = [];
        for await (const line of splitLines(pieces)) found.push(line);
        expect(found).toEqual(lines);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

test("an export of a store that has lost entries has notes at their seqs, and can be imported", async () => {
  const store = createMemoryStore();
  await aLongSession(await open(store));
  const lost = [3, 4, 120, 243];
  const damaged = new Proxy(store.tenant("local"), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== "readEntries") return typeof value === "function" ? value.bind(target) : value;
      return async (id: string, range: EntryRange) =>
        (await target.readEntries(id, range)).filter(({ seq }) => !lost.includes(seq));
    },
  });
  const palimpsest = await open({ name: "damaged", tenant: () => damaged, close: async () => undefined });
  const there = await open();
  const { entries } = await there.importSession(palimpsest.exportSession("long"));
  const notes = await (await there.load("long")).entries({ types: ["note"] });
  expect(notes.map(({ seq }) => seq)).toEqual(lost.filter((seq) => seq <= entries));
  expect(notes.length).toBeGreaterThan(2);
});

describe("an import refuses", () => {
  const cases: readonly (readonly [string, (lines: readonly string[]) => readonly string[]])[] = [
    ["a file that was cut off", (lines) => lines.slice(0, -1)],
    ["an empty file", () => []],
    ["half a line", (lines) => [...lines.slice(0, 9), (lines[9] ?? "").slice(0, 40)]],
    ["a missing line", (lines) => lines.filter((_, index) => index !== 5)],
    ["a changed word", (lines) => lines.map((line, index) => (index === 5 ? line.replace("fox", "box") : line))],
    ["a changed time", (lines) => lines.map((line, index) => (index === 5 ? line.replace(/"at":\d/, '"at":9') : line))],
    ["lines in another order", (lines) => lines.toSpliced(3, 2, lines[4] ?? "", lines[3] ?? "")],
    ["lines after the end", (lines) => [...lines, lines[1] ?? ""]],
    ["another kind of file", () => ['{"hello":"world"}']],
    [
      "a newer file",
      (lines) => lines.map((line, index) => (index === 0 ? line.replace('"version":1', '"version":2') : line)),
    ],
  ];

  test.each(cases)("%s, and stores nothing", async (_, damage) => {
    const palimpsest = await open();
    await aLongSession(palimpsest);
    const lines = damage(await linesOf(palimpsest, "long"));
    const there = await open();
    const importing = there.importSession(lines);
    await expect(importing).rejects.toMatchObject({ code: "message-invalid" });
    await expect(importing).rejects.toThrow(/^import: /);
    expect(await there.sessions()).toEqual([]);
    expect(await there.search("fox")).toEqual([]);
  });

  test("a file with any single byte changed", async () => {
    const palimpsest = await open();
    await aLongSession(palimpsest, "short", 12);
    const text = (await linesOf(palimpsest, "short")).join("\n");
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.integer({ min: 32, max: 126 }), async (at, code) => {
        const other = String.fromCharCode(code);
        fc.pre(text[at] !== other && text[at] !== "\n");
        const damaged = `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
        const there = await open();
        await expect(there.importSession(damaged.split("\n"))).rejects.toThrow(PalimpsestError);
        expect(await there.sessions()).toEqual([]);
      }),
      { numRuns: propertyRuns(150) },
    );
  });
});

describe("an import that stops in the middle", () => {
  /** Simulates the end of the process: after this many appends nothing runs, not even the cleanup. */
  function endingAfter(store: Store, appends: number): Store {
    let left = appends;
    const ended = async () => {
      throw new PalimpsestError("store-unavailable", "The process has ended.");
    };
    const watch = (tenant: TenantStore): TenantStore =>
      new Proxy(tenant, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (name === "append") {
            return (id: string, batch: AppendBatch) => (left-- > 0 ? target.append(id, batch) : ended());
          }
          if (left < 0) return ended;
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    return { name: "ending", tenant: (id) => watch(store.tenant(id)), close: async () => undefined };
  }

  test("leaves no partial session visible, and can be repeated from the start", async () => {
    const palimpsest = await open();
    await aLongSession(palimpsest);
    const lines = await linesOf(palimpsest, "long");
    const clock = scriptedClock({ startMs: 0 });
    const store = createMemoryStore({ monotonicNow: clock.now });
    const ending = await open(endingAfter(store, 1));
    await expect(ending.importSession(lines)).rejects.toThrow("The process has ended.");
    const there = await open(store);
    expect(await store.tenant("local").findSession("long")).toBeDefined();
    expect(await there.sessions()).toEqual([]);
    expect((await there.restore()).id).not.toBe("long");
    await expect(there.load("long")).rejects.toMatchObject({ code: "session-not-found" });
    await expect(there.session("long")).rejects.toMatchObject({ code: "session-not-found" });
    await expect(there.rename("long", "Mine")).rejects.toMatchObject({ code: "session-not-found" });
    // Until its lease expires, the first import may still be running.
    await expect(there.importSession(lines)).rejects.toThrow("is already being imported");
    clock.advance(30_000);
    await there.importSession(lines);
    expect((await linesOf(there, "long")).slice(1, -1)).toEqual(lines.slice(1, -1));
  });

  test("removes its entries if the store fails", async () => {
    const palimpsest = await open();
    await aLongSession(palimpsest);
    const lines = await linesOf(palimpsest, "long");
    const store = createMemoryStore();
    const tenant = store.tenant("local");
    let appends = 0;
    const failing = new Proxy(tenant, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === "append") {
          return (id: string, batch: AppendBatch) => {
            appends += 1;
            if (appends < 2) return target.append(id, batch);
            throw new PalimpsestError("store-unavailable", "The disk is full.");
          };
        }
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const there = await open({ name: "full", tenant: () => failing, close: async () => undefined });
    await expect(there.importSession(lines)).rejects.toThrow("The disk is full.");
    expect(await tenant.findSession("long")).toBeUndefined();
  });
});
