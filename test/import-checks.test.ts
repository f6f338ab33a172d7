/** Files with a valid checksum and invalid content, as an attacker could write them. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import { PalimpsestError } from "../src/core/errors.ts";
import type { Entry } from "../src/core/log/entry.ts";
import type { Palimpsest } from "../src/engine/palimpsest.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { propertyRuns } from "./support/property-runs.ts";

interface Line {
  readonly session?: Readonly<Record<string, unknown>>;
  readonly head?: unknown;
  readonly entry?: { readonly type: string; readonly epoch?: number; readonly [field: string]: unknown };
}
type Change = (lines: Line[]) => void;
type Path = readonly string[];

const LIMIT = 2_000;
const open = () => openPalimpsest({ store: createMemoryStore(), counter: "estimate", budgetTokens: LIMIT });

let plain: readonly Line[] = [];
let forked: readonly Line[] = [];

beforeAll(async () => {
  const palimpsest = await open();
  const session = await palimpsest.session("s");
  const words = "different words here ".repeat(12);
  const messages = Array.from({ length: 40 }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${index} ${words}`,
  }));
  await session.append(messages);
  await session.compact();
  await session.pin("m38");
  await session.pin({ note: "Be kind." });
  const { report } = await session.prompt({ next: { role: "user", content: "And?" } });
  await session.append(
    { role: "assistant", content: "Yes." },
    { promptId: report.promptId, usage: { inputTokens: 900 } },
  );
  await session.append({ id: "gone", role: "user", content: "forget me" });
  await session.delete("gone");
  await session.pin("m36");
  await session.undo();
  const fork = await session.fork();
  await fork.append({ role: "user", content: "elsewhere" });
  await fork.pin("m37");
  plain = await read(palimpsest, "s");
  forked = await read(palimpsest, fork.id);
});

async function read(palimpsest: Palimpsest, id: string): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of palimpsest.exportSession(id, { secrets: "keep" })) lines.push(JSON.parse(line));
  return lines.slice(0, -1);
}

function seal(lines: readonly Line[]): string[] {
  const texts = lines.map((line) => JSON.stringify(line));
  const sha256 = createHash("sha256")
    .update(texts.map((text) => `${text}\n`).join(""))
    .digest("hex");
  return [...texts, JSON.stringify({ end: { entries: texts.length - 1, sha256 } })];
}

function changed(lines: readonly Line[], change: Change): string[] {
  const copy = structuredClone([...lines]);
  change(copy);
  return seal(copy);
}

/** Sets a value, or removes it if the new value is undefined. */
function put(owner: object, path: Path, value: unknown): void {
  const [key = "", ...rest] = path;
  if (rest.length > 0) put(Reflect.get(owner, key), rest, value);
  else if (value === undefined) Reflect.deleteProperty(owner, key);
  else Reflect.set(owner, key, value);
}

type EntryChoice = Entry["type"] | "erased" | "pinned-note";

function matchesChoice({ entry }: Line, which: EntryChoice): boolean {
  if (which === "erased") return entry?.erased === true;
  const isNote = JSON.stringify(entry?.target ?? "").includes('"note"');
  return which === "pinned-note" ? isNote : entry?.type === which && entry.erased !== true && !isNote;
}

const STRETCH = { firstSeq: 20, lastSeq: 3, count: 3, chainHash: "" };

/** Invalid values: a name, the kind of entry, the path of the value in it, and the path that the refusal names. */
const FIELDS: readonly (readonly [what: string, which: EntryChoice, path: string, value: unknown, where?: string])[] = [
  ["a summary of later messages", "summary", "record.coverage.lastSeq", 9_999],
  ["a summary without a first seq", "summary", "record.coverage.firstSeq", -5],
  ["a summary that ends before it begins", "summary", "record.coverage", STRETCH, "record.coverage.lastSeq"],
  ["a summary of more messages than the log has", "summary", "record.coverage.count", 1_000],
  ["a summary whose text is a number", "summary", "record.text", 5],
  ["a summary without facets", "summary", "record.facets", undefined],
  ["a summary with the record of another summary", "summary", "record.id", "other"],
  ["kept requests that are not a list", "summary", "keptRequests", "abc"],
  ["kept requests with a seq of 0", "summary", "keptRequests", [0], "keptRequests[0]"],
  ["a summary that read a later seq", "summary", "readThroughSeq", 9_999],
  ["an epoch that is too high", "summary", "epoch", 2, "expected epoch 1"],
  ["a fractional epoch", "summary", "epoch", 1.5],
  ["a message with an epoch", "message", "epoch", 7],
  ["a pin without a target", "pin", "target", null],
  ["a pin without seqs", "pin", "target.seqs", undefined],
  ["a pin of a later message", "pin", "target.seqs", [9_999], "target.seqs[0]"],
  ["a pinned note that is not a string", "pinned-note", "target.text", {}],
  ["an erased message without parts", "erased", "message.parts", undefined],
  ["an erased message with text", "erased", "message.parts", [{ type: "text", text: "x" }], "message.parts[0]"],
  ["an erased message with an unknown role", "erased", "message.role", "root"],
  ["an erased message with the id of another message", "erased", "message.id", "m1"],
  ["sections as a string", "request", "sections", "x"],
  ["a prompt of a later view", "request", "viewEpoch", 9_999],
  ["negative tokens", "message", "tokens", { t: -1 }, "tokens.t"],
  ["a time outside the range of dates", "message", "at", 1e300],
  ["an undo that holds compaction back forever", "undo", "holdThroughCount", 1e9, "its hold ends after"],
];

const AHEAD = { firstSeq: 1, lastSeq: 1e9, count: 5 };
const CLEAR = { type: "clear", scope: "for-good", keepsPreamble: true };

/** Additional entries that a session would not write itself. */
const MORE: readonly (readonly [what: string, entry: NonNullable<Line["entry"]>, where: string])[] = [
  ["a clear through a later seq", { ...CLEAR, throughSeq: 1e9 }, "throughSeq"],
  ["a clear through a string", { ...CLEAR, throughSeq: "x" }, "throughSeq"],
  [
    "a truncation through a later seq",
    { type: "truncate", coverage: AHEAD, coveredTokens: 1, keptRequests: [], reason: "" },
    "coverage.lastSeq",
  ],
  [
    "a deletion of a later message",
    { type: "delete", messageIds: ["later"], seqs: [1e6], dropsSummary: false },
    "seqs[0]",
  ],
  ["a prune without messages", { type: "prune", prunes: [null], reason: "" }, "prunes[0]"],
  ["a prune of a later message", { type: "prune", prunes: [{ seq: 9_999 }], reason: "" }, "prunes[0].seq"],
  ["an entry of an unknown type", { type: "toString" }, "type"],
];

const OTHERS: readonly (readonly [what: string, change: Change, where: string])[] = [
  ["a gap between seqs", (lines) => lines.splice(7, 1), "entry.seq"],
  [
    "a repeated entry",
    (lines) => lines.splice(8, 1, { entry: { type: "message", ...lines[7]?.entry, seq: 8 } }),
    "two entries",
  ],
  [
    "a title that hides the session",
    (lines) => put(lines, ["0", "session", "title"], "\0importing"),
    "its title begins",
  ],
  ["a head without a fork", (lines) => put(lines, ["0", "head"], forked[0]?.head), "not a fork"],
];

const HEADS: readonly (readonly [what: string, path: string, value: unknown, where?: string])[] = [
  ["pins that are not a list", "pins", [null], "pins[0]"],
  ["no kept requests", "keptRequests", undefined],
  ["a clear through a later seq", "clearedThroughSeq", 1e9],
  ["a fold through a later seq", "foldedThroughSeq", 1e9],
  ["another epoch", "epoch", 40],
  ["messages that do not exist", "messageCount", 1e6],
  ["a factor that is too small", "calibration", { factor: 0.001, learned: 1, samples: 1 }, "calibration.factor"],
  ["an invalid undo step", "undoable", [5], "undoable[0]"],
];

describe("an import of a file with a valid checksum", () => {
  async function expectRefused(lines: string[], where: string): Promise<void> {
    const there = await open();
    const importing = there.importSession(lines);
    await expect(importing).rejects.toMatchObject({ name: "PalimpsestError", code: "message-invalid" });
    await expect(importing).rejects.toThrow(/^import: line \d+ cannot be used: /);
    await expect(importing).rejects.toThrow(where);
    expect(await there.sessions()).toEqual([]);
  }

  for (const [what, which, path, value, where = `entry.${path}: expected`] of FIELDS) {
    test(`refuses ${what}, and names the line`, async () => {
      const index = plain.findIndex((line) => matchesChoice(line, which));
      const place = [`${index}`, "entry", ...path.split(".")];
      await expectRefused(
        changed(plain, (lines) => put(lines, place, value)),
        where,
      );
    });
  }

  for (const [what, entry, where] of MORE) {
    test(`refuses ${what}, and names the line`, async () => {
      const epoch = Math.max(...plain.map((line) => line.entry?.epoch ?? 0)) + 1;
      const added = { id: "more", seq: plain.length, at: 0, epoch, ...entry };
      await expectRefused(
        changed(plain, (lines) => lines.push({ entry: added })),
        `entry.${where}: expected`,
      );
    });
  }

  for (const [what, change, where] of OTHERS) {
    test(`refuses ${what}, and names the line`, async () => expectRefused(changed(plain, change), where));
  }

  for (const [what, path, value, where = path] of HEADS) {
    test(`refuses a fork's head with ${what}, and names the line`, async () => {
      const lines = changed(forked, (copy) => put(copy, ["0", "head", path], value));
      await expectRefused(lines, `line 1 cannot be used: head.${where}`);
    });
  }
});

test("an import counts the messages itself, whatever tokens the file claims", async () => {
  const there = await open();
  const none = { "estimate@1": 0 };
  const lying = changed(plain, (lines) => {
    for (const { entry } of lines)
      if (entry?.type === "message") Object.assign(entry, { tokens: none, recounts: none });
  });
  await there.importSession(lying, { id: "lying" });
  await there.importSession(seal(plain), { id: "honest" });
  const [lied, honest] = [await read(there, "lying"), await read(there, "honest")];
  const counts = (lines: readonly Line[]) => lines.slice(1).map(({ entry }) => entry?.erased !== true && entry?.tokens);
  expect(counts(lied)).toEqual(counts(honest));
  expect(honest.slice(1)).toEqual(plain.slice(1));
});

test("a file with any changed value is refused, or its session can still be used", async () => {
  const files = [plain, forked].map((lines) => ({ lines, places: pathsOf(lines) }));
  const values = fc.constantFrom(null, 0, -1, 1.5, 3, 1e9, "", "x", true, [], {}, [null], [1e9], { type: "x" });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), fc.nat(), values, async (file, pick, value) => {
      const path = file.places[pick % file.places.length] ?? [];
      const there = await open();
      const lines = changed(file.lines, (copy) => put(copy, path, value));
      const outcome = await there.importSession(lines, { id: "t" }).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(PalimpsestError);
        expect(outcome).toMatchObject({ code: "message-invalid" });
        return;
      }
      const session = await there.load("t");
      await session.append({ role: "user", content: "CANARY" });
      const { messages, report } = await session.prompt();
      expect(JSON.stringify(messages)).toContain("CANARY");
      expect(report.tokens).toBeLessThanOrEqual(LIMIT);
      await session.compact();
      await session.undo();
      await session.transcript();
    }),
    { numRuns: propertyRuns() },
  );
});

/** Every value of a file except message text, which has a hash. */
function pathsOf(value: unknown): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => key !== "message")
    .flatMap(([key, inner]) => [[key], ...pathsOf(inner).map((path) => [key, ...path])]);
}
