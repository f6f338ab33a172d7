/** Files that were cut off, changed or mixed up: readable lines are read, and the others are reported. */
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EpochDraft } from "../../src/core/log/entry.ts";
import { foldEntries, foldEpochEntry } from "../../src/core/log/fold-entry.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { shows } from "../../src/testing/shows.ts";
import { everyNth, propertyRuns } from "../support/property-runs.ts";
import { aDraft, appendDrafts, aSession, idsOf, TestFolder } from "./jsonl-folder.ts";

/** Writes a session of this many messages and closes the store. */
async function written(folder: TestFolder, count: number, { words = "" } = {}): Promise<void> {
  const store = folder.open();
  const tenant = await aSession(store);
  for (let index = 1; index <= count; index += 1)
    await appendDrafts(tenant, aDraft(`m${index}`, `Message ${index}. ${words}`));
  await store.close();
}

/** Opens the folder again. */
async function reopened(folder: TestFolder): Promise<TenantStore> {
  return folder.open().tenant("local");
}

function breakLine(path: string, number: number): void {
  const lines = readFileSync(path, "utf8").split("\n");
  const line = lines[number] ?? "";
  lines[number] = `${line.slice(0, line.length / 2)}#${line.slice(line.length / 2 + 1)}`;
  writeFileSync(path, lines.join("\n"));
}

describe("a file whose end was cut off", () => {
  test("is read up to its last whole line, and the next write replaces the rest", async () => {
    await using folder = new TestFolder();
    await written(folder, 3);
    const path = folder.file(".jsonl");
    truncateSync(path, statSync(path).size - 10);
    const tenant = await reopened(folder);
    expect(await idsOf(tenant)).toEqual(["m1", "m2"]);
    await appendDrafts(tenant, aDraft("m4", "Again."));
    expect(await idsOf(tenant)).toEqual(["m1", "m2", "m4"]);
    expect((await tenant.readEntries("s", {})).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).kind)).toEqual(["session", "head", "entry", "entry", "entry"]);
    expect(folder.warnings.map(({ counted }) => counted)).toEqual(["unfinishedBatches"]);
  });

  test("no part of a batch is shown if its end is missing, at any byte", async () => {
    await using folder = new TestFolder();
    await written(folder, 1);
    const path = folder.file(".jsonl");
    const before = statSync(path).size;
    const store = folder.open();
    await appendDrafts(store.tenant("local"), aDraft("a", "One."), aDraft("b", "Two."), aDraft("c", "Three."));
    await store.close();
    const whole = readFileSync(path);
    const sizes = Array.from({ length: whole.length - before }, (_, index) => whole.length - 1 - index);
    for (const size of everyNth(sizes, 5)) {
      writeFileSync(path, whole.subarray(0, size));
      const reader = folder.open();
      expect(await idsOf(reader.tenant("local"))).toEqual(["m1"]);
      await reader.close();
    }
  });

  test("no part of a batch is shown if its space was reserved and never written", async () => {
    await using folder = new TestFolder();
    await written(folder, 1);
    const path = folder.file(".jsonl");
    const before = statSync(path).size;
    const store = folder.open();
    await appendDrafts(store.tenant("local"), aDraft("a", "One."), aDraft("b", "Two."));
    await store.close();
    const whole = readFileSync(path);
    whole.fill(0, before + 40, whole.length - 1);
    writeFileSync(path, whole);
    expect(await idsOf(await reopened(folder))).toEqual(["m1"]);
  });
});

describe("a damaged line", () => {
  test(
    shows(["S3-31", "S3-118"], "is skipped with a warning and counted, and other entries keep their seqs"),
    async () => {
      await using folder = new TestFolder();
      await written(folder, 3);
      breakLine(folder.file(".jsonl"), 3);
      const store = folder.open();
      const tenant = store.tenant("local");
      expect((await tenant.readEntries("s", {})).map(({ id, seq }) => [id, seq])).toEqual([
        ["m1", 1],
        ["m3", 3],
      ]);
      expect(store.statistics()).toMatchObject({ damagedLines: 1 });
      expect(folder.warnings.map(({ text }) => text)).toEqual([expect.stringContaining("is skipped")]);
      await appendDrafts(tenant, aDraft("m4", "Next."));
      expect((await tenant.findMessage("s", "m4"))?.seq).toBe(4);
    },
  );

  test("a damaged message has a marker in the view, also after the next write and after a restart", async () => {
    await using folder = new TestFolder();
    await written(folder, 300, { words: "word ".repeat(100) });
    breakLine(folder.file(".jsonl"), 100);
    breakLine(folder.file(".jsonl"), 301);
    folder.removeIndex();
    const first = folder.open();
    const before = await first.tenant("local").readView("s");
    expect(before?.entries.flatMap(({ id, seq }) => (id === `m${seq}` ? [] : [id]))).toEqual([
      "unreadable-99",
      "unreadable-300",
    ]);
    await appendDrafts(first.tenant("local"), aDraft("next", "Next."));
    await first.close();
    const second = folder.open();
    const after = await second.tenant("local").readView("s");
    expect(second.statistics().rebuiltIndexes).toBe(0);
    expect(after?.entries.slice(0, -1)).toEqual(before?.entries);
    expect(after?.entries.at(-1)).toMatchObject({ id: "next", seq: 301 });
    const [listed] = await second.tenant("local").listSessions({ limit: 1 });
    expect(listed?.messageCount).toBe(foldEntries(after?.entries ?? [], EMPTY_HEAD).messageCount);
  });

  test("a marker replaces a damaged pinned message, and later messages are read", async () => {
    await using folder = new TestFolder();
    const store = folder.open();
    const tenant = await aSession(store);
    for (const id of ["m1", "m2", "m3"]) await appendDrafts(tenant, aDraft(id, `Words of ${id}.`));
    const pin: EpochDraft = {
      type: "pin",
      id: "p",
      at: 0,
      epoch: 1,
      target: { type: "messages", messageId: "m1", seqs: [1] },
    };
    const cut: EpochDraft = {
      type: "truncate",
      id: "t",
      at: 0,
      epoch: 2,
      coverage: { firstSeq: 1, lastSeq: 2, count: 2 },
      coveredTokens: 0,
      keptRequests: [],
      reason: "Too long.",
    };
    const head = foldEntries(await tenant.readEntries("s", {}), EMPTY_HEAD);
    const changed = foldEpochEntry(foldEpochEntry(head, pin), cut);
    await tenant.append("s", { entries: [pin, cut], expect: { epoch: 0 }, head: changed });
    await store.close();
    breakLine(folder.file(".jsonl"), 2);
    const view = await (await reopened(folder)).readView("s");
    const messages = view?.entries.filter(({ type }) => type === "message");
    expect(messages?.map(({ id }) => id)).toEqual(["unreadable-1", "m3"]);
  });

  test("a store warns of damaged lines that an earlier store has indexed", async () => {
    await using folder = new TestFolder();
    await written(folder, 300, { words: "word ".repeat(100) });
    breakLine(folder.file(".jsonl"), 100);
    folder.removeIndex();
    const first = folder.open();
    await appendDrafts(first.tenant("local"), aDraft("next", "Next."));
    await first.close();
    const second = folder.open();
    await second.tenant("local").findMessage("s", "m1");
    expect([first.statistics().damagedLines, second.statistics().damagedLines]).toEqual([1, 1]);
  });

  test("a session without its first line keeps its entries", async () => {
    await using folder = new TestFolder();
    await written(folder, 2);
    breakLine(folder.file(".jsonl"), 0);
    const tenant = await reopened(folder);
    expect(await idsOf(tenant)).toEqual(["m1", "m2"]);
    expect((await tenant.listSessions({ limit: 1 })).map(({ id, messageCount }) => [id, messageCount])).toEqual([
      ["s", 2],
    ]);
  });

  test("a head whose line is damaged is computed again from the entries", async () => {
    await using folder = new TestFolder();
    const store = folder.open();
    const tenant = await aSession(store);
    await appendDrafts(tenant, aDraft("m1", "One."));
    const pin: EpochDraft = { type: "pin", id: "p", at: 0, epoch: 1, target: { type: "note", text: "Ana decides." } };
    const head = foldEpochEntry(foldEntries(await tenant.readEntries("s", {}), EMPTY_HEAD), pin);
    await tenant.append("s", { entries: [pin], expect: { epoch: 0 }, head });
    await store.close();
    breakLine(folder.file(".jsonl"), 4);
    const again = folder.open();
    const found = await again.tenant("local").findSession("s");
    expect(found?.head).toMatchObject({ epoch: 1, pins: [{ id: "p" }], messageCount: 1 });
    expect(again.statistics()).toMatchObject({ rebuiltHeads: 1, damagedLines: 1 });
  });

  test("a line with one changed letter is damaged", async () => {
    await using folder = new TestFolder();
    await written(folder, 2);
    const path = folder.file(".jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace("Message 1.", "Message 7."));
    expect(await idsOf(await reopened(folder))).toEqual(["m2"]);
  });

  test("a store still works with a hundred flipped bytes, and returns no changed entries", async () => {
    await using folder = new TestFolder();
    await written(folder, 400, { words: "word ".repeat(40) });
    const path = folder.file(".jsonl");
    const whole = readFileSync(path);
    const texts = new Map((await (await reopened(folder)).readEntries("s", {})).map((entry) => [entry.id, entry]));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(whole.length - 1), { minLength: 100, maxLength: 100 }),
        fc.boolean(),
        async (places, keepsIndex) => {
          const flipped = Buffer.from(whole);
          for (const place of places) flipped[place] = (flipped[place] ?? 0) ^ 0x15;
          writeFileSync(path, flipped);
          if (!keepsIndex) folder.removeIndex();
          const store = folder.open();
          const tenant = store.tenant("local");
          const entries = await tenant.readEntries("s", {});
          for (const entry of entries) expect(entry).toEqual(texts.get(entry.id));
          const view = await tenant.readView("s");
          const seqs = view?.entries.map(({ seq }) => seq) ?? [];
          expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index));
          expect(seqs.at(-1)).toBe(view?.lastSeq);
          expect(view?.entries.filter(({ id }) => texts.has(id))).toEqual(entries);
          expect(entries.length).toBeGreaterThan(150);
          expect(store.statistics().damagedLines).toBeGreaterThan(0);
          await store.close();
        },
      ),
      { numRuns: propertyRuns(10) },
    );
  });
});

describe("the index", () => {
  const long = { words: "word ".repeat(60) };

  test("a session has the same view with and without the index", async () => {
    await using folder = new TestFolder();
    await written(folder, 500, long);
    const withIndex = await (await reopened(folder)).readView("s");
    folder.removeIndex();
    expect(await (await reopened(folder)).readView("s")).toEqual(withIndex);
    expect(withIndex?.entries.length).toBe(500);
  });

  test.each([
    ["was made for a longer file", (folder: TestFolder) => writeFileSync(folder.file(".jsonl"), shorter(folder))],
    ["was cut off", (folder: TestFolder) => truncateSync(folder.file("index.db"), 9_000)],
    ["was overwritten", (folder: TestFolder) => writeFileSync(folder.file("index.db"), Buffer.alloc(50_000, 7))],
    ["is not a database", (folder: TestFolder) => writeFileSync(folder.file("index.db"), "{}\n")],
    [
      "has wrong positions",
      (folder: TestFolder) => change(folder, "UPDATE entries SET content = '1 7 9' WHERE seq = 40"),
    ],
    [
      "has invalid positions",
      (folder: TestFolder) => change(folder, "UPDATE entries SET content = 'x' WHERE seq = 40"),
    ],
    [
      "has a last line without a length",
      (folder: TestFolder) => change(folder, "UPDATE files SET last_line = replace(last_line, 'length', 'lengtx')"),
    ],
    [
      "has a last line that is not JSON",
      (folder: TestFolder) => change(folder, "UPDATE files SET last_line = replace(last_line, '{', '[')"),
    ],
    ["has damaged lines without a place", (folder: TestFolder) => change(folder, "UPDATE files SET holes = '[{}]'")],
    ["has a wrong id", (folder: TestFolder) => change(folder, "UPDATE entries SET id = 'x' WHERE seq = 40")],
  ])("an index is rebuilt if it %s", async (_, harm) => {
    await using folder = new TestFolder();
    await written(folder, 500, long);
    harm(folder);
    const count = readFileSync(folder.file(".jsonl"), "utf8").split("\n").length - 3;
    const store = folder.open();
    const entries = await store.tenant("local").readEntries("s", {});
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_unused, index) => index + 1));
    expect(store.statistics().rebuiltIndexes).toBe(1);
  });

  function change(folder: TestFolder, statement: string): void {
    const database = new DatabaseSync(folder.file("index.db"));
    database.exec(statement);
    database.close();
  }

  function shorter(folder: TestFolder): string {
    return `${readFileSync(folder.file(".jsonl"), "utf8").split("\n").slice(0, 300).join("\n")}\n`;
  }

  test("an index is rebuilt if a line was inserted into its file", async () => {
    await using folder = new TestFolder();
    await written(folder, 500, long);
    const path = folder.file(".jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, [...lines.slice(0, 50), "", ...lines.slice(50)].join("\n"));
    const store = folder.open();
    expect((await store.tenant("local").readEntries("s", {})).length).toBe(500);
    expect(store.statistics()).toMatchObject({ rebuiltIndexes: 1 });
  });

  test("opening a long file reads only the requested lines", async () => {
    await using folder = new TestFolder();
    await written(folder, 2_000, long);
    const path = folder.file(".jsonl");
    // Lines that are not requested are made unreadable, so that reading them would fail.
    const bytes = readFileSync(path);
    bytes.fill(0x20, bytes.indexOf("m1"), bytes.length - 50_000);
    writeFileSync(path, bytes);
    const reader = folder.open();
    const newest = await reader.tenant("local").readEntries("s", { limit: 20, newestFirst: true });
    expect(newest.map(({ id }) => id)[0]).toBe("m2000");
    expect(reader.statistics()).toMatchObject({ damagedLines: 0, rebuiltIndexes: 0 });
  });
});

describe("a file that another program adds to", () => {
  test("a line without a checksum is skipped", async () => {
    await using folder = new TestFolder();
    await written(folder, 1);
    const entry = { ...aDraft("forged", "Hello."), seq: 2 };
    appendFileSync(folder.file(".jsonl"), `${JSON.stringify({ kind: "entry", session: "s", entry })}\n`);
    expect(await idsOf(await reopened(folder))).toEqual(["m1"]);
    expect(folder.warnings.length).toBe(1);
  });

  test("a file of a newer version is refused and left unchanged", async () => {
    await using folder = new TestFolder();
    await written(folder, 1);
    const path = folder.file(".jsonl");
    const { encodeBatch } = await import("../../src/stores/jsonl/line.ts");
    const [line] = encodeBatch([{ kind: "session", session: "s", format: 2, header: { id: "s", createdAt: 0 } }]);
    appendFileSync(path, line ?? "");
    const before = readFileSync(path, "utf8");
    const tenant = await reopened(folder);
    const refused = { code: "config-invalid", message: expect.stringContaining("newer version") };
    await expect(tenant.readView("s")).rejects.toMatchObject(refused);
    await expect(tenant.append("s", { entries: [aDraft("m2", "Hello.")] })).rejects.toMatchObject(refused);
    expect(readFileSync(path, "utf8")).toBe(before);
  });
});
