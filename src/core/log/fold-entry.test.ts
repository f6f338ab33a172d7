import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { fractions } from "../../testing/generate-histories.ts";
import { weighted } from "../../testing/weighted.ts";
import { hashMessage } from "../message/hash-message.ts";
import type { Role } from "../message/message.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import type { Entry, EpochDraft, EpochEntry, EventNoteEntry, MessageEntry, RequestEntry, Usage } from "./entry.ts";
import { foldEntries, foldEntry, foldEpochEntry } from "./fold-entry.ts";
import {
  EMPTY_HEAD,
  findClearedSeq,
  findCoveredSeq,
  findKeptSeqs,
  findViewFloorSeq,
  type Head,
  MAX_REMEMBERED_REQUESTS,
  UNDO_DEPTH,
} from "./head.ts";
import type { Prune } from "./prune.ts";

interface MessageFields {
  readonly role?: Role | undefined;
  readonly promptId?: string | undefined;
  readonly usage?: Usage | undefined;
}

interface Log {
  readonly entries: Entry[];
  readonly head: Head;
  say(fields?: MessageFields): MessageEntry;
  /** Appends a request for the view of an epoch, by default the newest. */
  request(viewEpoch?: number, fields?: Partial<RequestEntry>): RequestEntry;
  note(kind: EventNoteEntry["kind"], promptId?: string): EventNoteEntry;
  /** Appends a change of the past, made on the newest head. */
  change(change: WithoutStamp): EpochEntry;
  undo(undoes: string, summary?: SummaryRecord): EpochEntry;
  clearOnce(): EpochEntry;
}

/** Creates a log that appends entries at its end, as a store does. */
function aLog(): Log {
  const { aUserMessage } = messageBuilder();
  const entries: Entry[] = [];
  const place = <Any extends Entry>(entry: Any): Any => {
    entries.push(entry);
    return entry;
  };
  const stamp = (prefix: string) => ({ id: `${prefix}${entries.length + 1}`, seq: entries.length + 1, at: 0 });
  const log: Log = {
    entries,
    get head() {
      return foldEntries(entries);
    },
    say({ role = "user", promptId, usage } = {}) {
      const message = { ...aUserMessage("Hello."), role };
      const sent = { type: "message", message, hash: hashMessage(message), tokens: { "chars4@1": 6 } } as const;
      return place({ ...stamp("m"), ...sent, id: message.id, promptId, usage });
    },
    request(viewEpoch = log.head.epoch, fields = {}) {
      const base = stamp("prompt-");
      const figures = { counterId: "chars4@1", provider: "openai", countedTokens: 1_000, factor: 1 };
      const rest = { promptId: base.id, viewEpoch, sections: [], changes: [] };
      return place({ ...base, ...figures, type: "request", ...rest, ...fields });
    },
    note(kind, promptId) {
      return place({ ...stamp("note-"), type: "note", kind, text: "", promptId });
    },
    change: (change) => place({ ...change, ...stamp("e"), epoch: log.head.epoch + 1 }),
    undo: (undoes, summary) => log.change({ type: "undo", undoes, summary, holdThroughCount: 0 }),
    clearOnce: () => log.change({ ...CLEAR, throughSeq: entries.length, scope: "next-generation" }),
  };
  return log;
}

type WithoutStamp<Draft = EpochDraft> = Draft extends unknown ? Omit<Draft, "id" | "at" | "epoch"> : never;

const CLEAR = { type: "clear", keepsPreamble: true } as const;
const FACETS = { constraints: [], decisions: [], actionItems: [], unresolved: [], entities: [], participants: [] };

function aSummary(id: string, lastSeq: number): SummaryRecord {
  return {
    id,
    at: 0,
    depth: 0,
    coverage: { firstSeq: 1, lastSeq, count: lastSeq, chainHash: "" },
    messageIds: [],
    text: `What happened up to ${lastSeq}.`,
    keyPoints: [],
    facets: { ...FACETS, done: [] },
    strategy: "offline",
    reason: "too long",
    tokensBefore: 100,
    tokensAfter: 10,
  };
}

const summarize = (id: string, lastSeq: number) =>
  ({ type: "summary", record: aSummary(id, lastSeq), keptRequests: [] }) as const;
const truncate = (lastSeq: number) =>
  ({
    type: "truncate",
    coverage: { firstSeq: 1, lastSeq, count: lastSeq },
    coveredTokens: 10,
    keptRequests: [],
    reason: "",
  }) as const;
const pruneOf = (seq: number, partIndex = 0): Prune => ({
  seq,
  messageId: `m${seq}`,
  partIndex,
  fate: "pruned",
  replacement: { type: "text", text: "[removed]" },
  reason: "to save room",
});
const prune = (...prunes: readonly Prune[]) => ({ type: "prune", prunes, reason: "to save room" }) as const;
const pin = (...seqs: readonly number[]) =>
  ({ type: "pin", target: { type: "messages", messageId: `m${seqs[0]}`, seqs } }) as const;
const note = (text: string) => ({ type: "pin", target: { type: "note", text } }) as const;

/** Returns the state that undo restores, without the undo stack. */
function stateOf(head: Head) {
  const { summary, truncation, clearedThroughSeq, clearedOnce, preambleClearedThroughSeq, pins, prunes } = head;
  const kept = { keptRequests: head.keptRequests, pins, prunes };
  return { summary, truncation, clearedThroughSeq, clearedOnce, preambleClearedThroughSeq, ...kept };
}

describe("foldEntries, for messages", () => {
  test("adds the tokens of a message to the totals of every counter", () => {
    const log = aLog();
    log.say();
    const { message, ...rest } = log.say();
    log.entries[1] = { ...rest, message, tokens: { "chars4@1": 6, "o200k@1": 4 } };
    expect(log.head).toMatchObject({ messageCount: 2, totals: { "chars4@1": 12, "o200k@1": 4 }, foldedThroughSeq: 2 });
  });

  test("adds system messages to the preamble until a message with another role arrives", () => {
    const log = aLog();
    for (const role of ["system", "system", "user", "system"] as const) log.say({ role });
    expect(log.head).toMatchObject({ preamble: [1, 2], preambleOpen: false });
  });

  test("does not change the epoch for messages, requests and notes", () => {
    const log = aLog();
    log.say();
    log.request();
    log.note("warning");
    expect(log.head.epoch).toBe(0);
  });
});

describe("foldEntries, for usage", () => {
  test("learns the factor only from the prompt that the usage was reported for", () => {
    const log = aLog();
    const { promptId } = log.request();
    log.say({ role: "assistant", promptId: "another", usage: { inputTokens: 1_500 } });
    expect(log.head.calibration).toBeUndefined();
    log.say({ role: "assistant", promptId, usage: { inputTokens: 1_500 } });
    expect(log.head.calibration).toMatchObject({ samples: 1, learned: 1.1 });
  });

  test("starts again from the factor of the request if the model changes", () => {
    const log = aLog();
    const first = log.request();
    log.say({ role: "assistant", promptId: first.promptId, usage: { inputTokens: 1_500 } });
    const second = log.request();
    log.entries[log.entries.length - 1] = { ...second, model: "gpt-4o" };
    log.say({ role: "assistant", promptId: second.promptId, usage: { inputTokens: 1_000 } });
    expect(log.head.calibration).toMatchObject({ samples: 1, learned: 1, model: "gpt-4o" });
  });
});

describe("foldEntries, for requests", () => {
  test("counts all requests, and keeps the newest ones with their time", () => {
    const log = aLog();
    for (let count = 1; count <= MAX_REMEMBERED_REQUESTS + 2; count += 1) log.request(0, { at: 1_000 * count });
    expect(log.head.requestCount).toBe(MAX_REMEMBERED_REQUESTS + 2);
    expect(log.head.requests.map(({ at }) => at)).toEqual([3_000, 4_000, 5_000, 6_000]);
  });

  test("adds up the growth from prompt to prompt, and ignores decreases", () => {
    const log = aLog();
    for (const countedTokens of [1_000, 1_300, 700, 750]) log.request(0, { countedTokens });
    expect(log.head.grownTokens).toBe(350);
  });

  test("does not compare requests that different counters counted", () => {
    const log = aLog();
    log.request(0, { countedTokens: 100 });
    log.request(0, { countedTokens: 900, counterId: "o200k@1" });
    expect(log.head.grownTokens).toBe(0);
  });

  test("stores whether a ratio trigger is armed, if the request has this field", () => {
    const log = aLog();
    expect(log.head.armed).toBe(true);
    log.request(0, { armed: false });
    log.request();
    expect(log.head.armed).toBe(false);
    log.request(0, { armed: true });
    expect(log.head.armed).toBe(true);
  });
});

describe("foldEntries, for compactions", () => {
  const spoken = (count: number): Log => {
    const log = aLog();
    for (let index = 0; index < count; index += 1) log.say();
    return log;
  };

  test.each([
    ["a summary", summarize("s1", 2)],
    ["a truncation", truncate(2)],
  ])("stores the last seq that was read for %s, and disarms the trigger", (_, change) => {
    const log = spoken(6);
    expect(log.head.compactedThroughSeq).toBe(0);
    log.change({ ...change, readThroughSeq: 4 });
    expect(log.head).toMatchObject({ compactedThroughSeq: 4, armed: false });
  });

  test("keeps the previous seq for a compaction without readThroughSeq", () => {
    const log = spoken(6);
    log.change({ ...summarize("s1", 2), readThroughSeq: 4 });
    log.change(truncate(3));
    expect(log.head.compactedThroughSeq).toBe(4);
  });

  test("does not treat prunes, pins and clears as compactions", () => {
    const log = spoken(6);
    log.change(prune(pruneOf(2)));
    log.change(pin(3));
    log.clearOnce();
    expect(log.head).toMatchObject({ compactedThroughSeq: 0, armed: true });
  });

  test("still treats an undone compaction as the last one, so that the cooldown applies", () => {
    const log = spoken(6);
    const { id } = log.change({ ...truncate(3), readThroughSeq: 6 });
    log.undo(id);
    expect(log.head).toMatchObject({ truncation: undefined, compactedThroughSeq: 6, armed: false });
  });

  test("drops the summary with a truncation that sets dropsSummary, and restores it with an undo", () => {
    const log = spoken(6);
    log.change(summarize("s1", 2));
    const { summary } = log.head;
    const { id } = log.change({ ...truncate(4), dropsSummary: true });
    expect(log.head).toMatchObject({ summary: undefined, truncation: { coverage: { firstSeq: 1, lastSeq: 4 } } });
    expect(findViewFloorSeq(log.head)).toBe(4);
    log.undo(id, summary);
    expect(log.head).toMatchObject({ summary: { id: "s1" }, truncation: undefined });
  });
});

describe("foldEntries, for changes of the past", () => {
  test("a summary covers its stretch and replaces a truncation and covered prunes", () => {
    const log = aLog();
    for (let count = 0; count < 6; count += 1) log.say();
    log.change(prune(pruneOf(2), pruneOf(5)));
    log.change(truncate(3));
    log.change(summarize("s1", 4));
    expect(log.head).toMatchObject({ epoch: 3, summary: { id: "s1" }, truncation: undefined });
    expect(log.head.prunes.map(({ seq }) => seq)).toEqual([5]);
    expect(findViewFloorSeq(log.head)).toBe(4);
  });

  test("a truncation after a summary extends the coverage and keeps the summary", () => {
    const log = aLog();
    for (let count = 0; count < 6; count += 1) log.say();
    log.change(summarize("s1", 2));
    log.change(truncate(4));
    expect(log.head).toMatchObject({ summary: { id: "s1" }, truncation: { coverage: { lastSeq: 4 } } });
    expect(findCoveredSeq(log.head)).toBe(4);
  });

  test("a prune replaces an earlier prune of the same part only", () => {
    const log = aLog();
    log.say();
    const first = log.change(prune(pruneOf(1, 0), pruneOf(1, 1)));
    const second = log.change(prune({ ...pruneOf(1, 1), fate: "cut" }));
    expect(log.head.prunes.map(({ partIndex, fate, entryId }) => [partIndex, fate, entryId])).toEqual([
      [0, "pruned", first.id],
      [1, "cut", second.id],
    ]);
  });

  test("a pin keeps messages and notes until they are unpinned", () => {
    const log = aLog();
    for (let count = 0; count < 4; count += 1) log.say();
    const pinned = log.change(pin(2, 3));
    const noted = log.change(note("Ana decides."));
    log.change(truncate(4));
    expect(findKeptSeqs(log.head)).toEqual([2, 3]);
    log.change({ type: "unpin", pinIds: [pinned.id], reason: "" });
    expect(log.head.pins.map(({ id }) => id)).toEqual([noted.id]);
    expect(findKeptSeqs(log.head)).toEqual([]);
  });

  test("a truncation or summary keeps the requests that it lists, and not those of an earlier one", () => {
    const log = aLog();
    for (let count = 0; count < 6; count += 1) log.say();
    log.change({ ...truncate(4), keptRequests: [1, 3] });
    expect(findKeptSeqs(log.head)).toEqual([1, 3]);
    log.change({ ...summarize("s1", 5), keptRequests: [5] });
    expect(findKeptSeqs(log.head)).toEqual([5]);
  });

  test("a summary that erases its stretch cannot be undone, but later changes can", () => {
    const log = aLog();
    for (let count = 0; count < 6; count += 1) log.say();
    log.change(pin(2));
    const { id } = log.change({ ...summarize("s1", 4), erases: true });
    expect(log.head.undoable).toMatchObject([{ entryId: id, isFinal: true }]);
    log.change(note("Ana decides."));
    expect(log.head.undoable.map(({ isFinal }) => isFinal)).toEqual([true, undefined]);
  });

  test("a clear for the next generation drops the summary only if it sets dropsSummary", () => {
    for (const dropsSummary of [true, undefined]) {
      const log = aLog();
      for (let count = 0; count < 6; count += 1) log.say();
      log.change({ ...summarize("s1", 4), keptRequests: [3] });
      const { promptId } = log.request(1);
      log.change({ ...CLEAR, throughSeq: 7, scope: "next-generation", dropsSummary });
      expect([log.head.summary?.id, findViewFloorSeq(log.head)]).toEqual([dropsSummary ? undefined : "s1", 7]);
      // A reply to an earlier prompt does not end the clear.
      log.say({ promptId });
      expect(findViewFloorSeq(log.head)).toBe(7);
      log.say({ promptId: log.request(2).promptId });
      expect(findViewFloorSeq(log.head)).toBe(dropsSummary ? 0 : 4);
    }
  });

  test("a clear for good removes everything except the preamble and notes", () => {
    const log = aLog();
    log.say({ role: "system" });
    for (let count = 0; count < 5; count += 1) log.say();
    log.change({ ...summarize("s1", 3), keptRequests: [3] });
    log.change(prune(pruneOf(5)));
    log.change(pin(2));
    log.change(note("Ana decides."));
    log.change({ ...CLEAR, throughSeq: 6, scope: "for-good" });
    expect(stateOf(log.head)).toMatchObject({
      summary: undefined,
      truncation: undefined,
      prunes: [],
      keptRequests: [],
    });
    expect(log.head.pins.map(({ target }) => target.type)).toEqual(["note"]);
    expect([findViewFloorSeq(log.head), findKeptSeqs(log.head)]).toEqual([6, [1]]);
  });

  test("a clear without keepsPreamble removes the preamble too", () => {
    const log = aLog();
    log.say({ role: "system" });
    log.change({ ...CLEAR, throughSeq: 1, scope: "for-good", keepsPreamble: false });
    expect(findKeptSeqs(log.head)).toEqual([]);
  });

  test("a deletion removes the pins and prunes of deleted messages", () => {
    const log = aLog();
    log.say({ role: "system" });
    for (let count = 0; count < 4; count += 1) log.say();
    log.change(pin(2, 3));
    log.change(pin(4));
    log.change(prune(pruneOf(3), pruneOf(5)));
    log.change({ type: "delete", messageIds: ["m1", "m3"], seqs: [1, 3], dropsSummary: false });
    expect(log.head.pins.map(({ target }) => target.type === "messages" && target.seqs)).toEqual([[4]]);
    expect(log.head.prunes.map(({ seq }) => seq)).toEqual([5]);
    expect(log.head.preamble).toEqual([]);
  });

  test("a deletion that drops the summary leaves its stretch truncated", () => {
    const log = aLog();
    for (let count = 0; count < 6; count += 1) log.say();
    log.change(summarize("s1", 3));
    log.change(truncate(5));
    const deleted = log.change({ type: "delete", messageIds: ["m2"], seqs: [2], dropsSummary: true });
    const { summary, truncation } = log.head;
    expect(summary).toBeUndefined();
    expect(truncation).toMatchObject({ id: deleted.id, coverage: { firstSeq: 1, lastSeq: 5 }, coveredTokens: 110 });
  });
});

describe("foldEntries, for an undo", () => {
  const changes: readonly (readonly [string, WithoutStamp])[] = [
    ["a prune", prune(pruneOf(3))],
    ["a truncation", truncate(3)],
    ["a truncation that drops the summary", { ...truncate(3), dropsSummary: true }],
    ["a summary", summarize("s2", 3)],
    ["a clear for good", { ...CLEAR, throughSeq: 6, scope: "for-good", keepsPreamble: false }],
    ["a clear for the next generation", { ...CLEAR, throughSeq: 6, scope: "next-generation" }],
    ["a pin", pin(3)],
    ["an unpin", { type: "unpin", pinIds: ["e7"], reason: "" }],
  ];

  const played = (change: WithoutStamp) => {
    const log = aLog();
    for (let count = 0; count < 6; count += 1) log.say();
    log.change(pin(2));
    log.change(summarize("s1", 1));
    log.change(prune(pruneOf(4)));
    const before = stateOf(log.head);
    const entry = log.change(change);
    return { log, entry, before, after: stateOf(log.head) };
  };

  test.each(changes)("restores the state before %s, and a redo applies it again", (_, change) => {
    const { log, entry, before, after } = played(change);
    expect(after).not.toEqual(before);
    const undone = log.undo(entry.id, before.summary);
    expect(stateOf(log.head)).toEqual(before);
    const redone = log.undo(undone.id, after.summary);
    expect(stateOf(log.head)).toEqual(after);
    log.undo(redone.id, before.summary);
    expect(stateOf(log.head)).toEqual(before);
  });

  test("keeps a summary that the undone change did not affect", () => {
    const { log, entry, before } = played(prune(pruneOf(3)));
    log.undo(entry.id);
    expect(log.head.summary).toEqual(before.summary);
  });

  test("reverts several changes, newest first, and redoes them in order", () => {
    const log = aLog();
    for (let count = 0; count < 4; count += 1) log.say();
    const changed = [prune(pruneOf(1)), prune(pruneOf(2)), prune(pruneOf(3))].map((change) => log.change(change));
    const states = [stateOf(log.head)];
    const undone = changed.toReversed().map(({ id }) => {
      const entry = log.undo(id);
      states.push(stateOf(log.head));
      return entry;
    });
    expect(states.map(({ prunes }) => prunes.length)).toEqual([3, 2, 1, 0]);
    const redone = undone.toReversed().map(({ id }) => {
      log.undo(id);
      return stateOf(log.head);
    });
    expect(redone).toEqual(states.slice(0, -1).toReversed());
  });

  test("increases the epoch, and stores holdThroughCount", () => {
    const log = aLog();
    log.say();
    const { id } = log.change(prune(pruneOf(1)));
    log.change({ type: "undo", undoes: id, holdThroughCount: 12 });
    expect(log.head).toMatchObject({ epoch: 2, holdThroughCount: 12 });
  });

  test("clears the redo stack after another change", () => {
    const log = aLog();
    log.say();
    const { id } = log.change(prune(pruneOf(1)));
    log.undo(id);
    expect(log.head.redoable.length).toBe(1);
    log.change(pin(1));
    expect(log.head.redoable).toEqual([]);
  });

  test("keeps at most 20 steps that can be undone", () => {
    const log = aLog();
    log.say();
    for (let count = 0; count < UNDO_DEPTH + 5; count += 1) log.change(note(`note ${count}`));
    expect(log.head.undoable.length).toBe(20);
    expect(UNDO_DEPTH).toBe(20);
  });

  test("clears the undo and redo stacks after a deletion", () => {
    const log = aLog();
    for (let count = 0; count < 3; count += 1) log.say();
    const { id } = log.change(prune(pruneOf(1)));
    log.change(prune(pruneOf(2)));
    log.undo(id);
    log.change({ type: "delete", messageIds: ["m3"], seqs: [3], dropsSummary: false });
    expect([log.head.undoable, log.head.redoable]).toEqual([[], []]);
  });
});

describe("a clear for the next generation", () => {
  const cleared = () => {
    const log = aLog();
    for (let count = 0; count < 3; count += 1) log.say();
    const older = log.request();
    log.clearOnce();
    return { log, older };
  };

  test("ends when a generation that was requested after it completes with a reply", () => {
    const { log } = cleared();
    expect(findClearedSeq(log.head)).toBe(4);
    const { promptId } = log.request();
    expect(findClearedSeq(log.head)).toBe(4);
    log.say({ role: "assistant", promptId });
    expect(findClearedSeq(log.head)).toBe(0);
  });

  test("ends when such a generation fails without a message", () => {
    const { log } = cleared();
    const { promptId } = log.request();
    log.note("generation-end", promptId);
    expect(findClearedSeq(log.head)).toBe(0);
  });

  test("is not ended by a user message, a warning, or the end of another generation", () => {
    const { log } = cleared();
    const { promptId } = log.request();
    log.say();
    log.note("warning", promptId);
    log.note("generation-end", "another");
    expect(findClearedSeq(log.head)).toBe(4);
  });

  test("is not ended by a generation that was requested before it", () => {
    const { log, older } = cleared();
    log.say({ role: "assistant", promptId: older.promptId });
    expect(findClearedSeq(log.head)).toBe(4);
  });

  test("is not ended by a generation whose prompt was made before it and recorded after it", () => {
    const { log } = cleared();
    const { promptId } = log.request(0);
    log.note("generation-end", promptId);
    expect(findClearedSeq(log.head)).toBe(4);
  });

  test("stays ended when an older generation completes later", () => {
    const { log } = cleared();
    log.note("generation-end", log.request().promptId);
    log.note("generation-end", log.request(0).promptId);
    expect(findClearedSeq(log.head)).toBe(0);
  });

  test("keeps messages hidden that were cleared for good", () => {
    const log = aLog();
    for (let count = 0; count < 3; count += 1) log.say();
    log.change({ ...CLEAR, throughSeq: 2, scope: "for-good" });
    log.clearOnce();
    const { promptId } = log.request();
    log.say({ role: "assistant", promptId });
    expect(findViewFloorSeq(log.head)).toBe(2);
  });

  test("hides pinned messages and keeps the preamble", () => {
    const log = aLog();
    log.say({ role: "system" });
    for (let count = 0; count < 3; count += 1) log.say();
    log.change(pin(2));
    log.clearOnce();
    expect(findKeptSeqs(log.head)).toEqual([1]);
  });
});

/** One action of a writer. `at` chooses an entry as a fraction of the log's length. */
interface Step {
  readonly type: Entry["type"] | "redo";
  readonly at: number;
  /** The largest number of entries that the writer has not read. */
  readonly lag: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    type: weighted<Step["type"]>([
      [12, fc.constant("message")],
      [4, fc.constant("request")],
      [2, fc.constant("note")],
      [9, fc.constantFrom("prune", "truncate", "summary", "pin", "unpin", "clear", "clear", "undo", "undo", "redo")],
      [1, fc.constant("delete")],
    ]),
    at: fractions(),
    lag: fc.nat({ max: 4 }),
  }),
  { maxLength: 60, size: "max" },
);

interface PlayedLog {
  readonly entries: readonly Entry[];
  /** The head that was stored with each change of the past, and the seq of that change. */
  readonly stored: readonly { readonly head: Head; readonly seq: number }[];
}

function play(planned: readonly Step[]): PlayedLog {
  const log = aLog();
  const stored: { head: Head; seq: number }[] = [];
  for (const step of planned) {
    if (step.type === "message") sayAt(log, step.at);
    else if (step.type === "request") requestAt(log, step);
    else if (step.type === "note") log.note(step.at < 0.7 ? "generation-end" : "warning", promptAt(log, step.at));
    else {
      const lastChange = log.entries.findLastIndex((entry) => "epoch" in entry) + 1;
      const readSeq = Math.max(lastChange, log.entries.length - step.lag);
      const read = foldEntries(log.entries.slice(0, readSeq));
      const change = changeAt(log.entries.slice(0, readSeq), { read, step });
      if (change === undefined) continue;
      const draft = { ...change, id: `e${log.entries.length + 1}`, at: 0, epoch: read.epoch + 1 };
      stored.push({ head: foldEpochEntry(read, draft), seq: log.change(change).seq });
    }
  }
  return { entries: log.entries, stored };
}

function requestAt(log: Log, { at, lag }: Step): void {
  const armed = lag > 2 ? undefined : lag === 0;
  log.request(Math.floor(at * (log.head.epoch + 1)), { countedTokens: Math.floor(2_000 * at), armed });
}

function sayAt(log: Log, at: number): void {
  const role = (["user", "assistant", "system", "tool"] as const)[Math.floor(at * 4)];
  const usage = { inputTokens: 900, ...(at > 0.6 ? { cacheReadTokens: Math.floor(at * 900) } : {}) };
  log.say({ role, promptId: at > 0.4 ? promptAt(log, (at * 7) % 1) : undefined, usage });
}

function promptAt(log: Log, at: number): string | undefined {
  return pick(log.entries.filter((entry) => entry.type === "request").slice(-3), at)?.id;
}

function pick<Item>(items: readonly Item[], at: number): Item | undefined {
  return items[Math.floor(at * items.length)];
}

/** Returns a change that a writer with this head could make, or undefined if there is nothing to change. */
function changeAt(
  entries: readonly Entry[],
  { read, step: { type, at } }: { readonly read: Head; readonly step: Step },
): WithoutStamp | undefined {
  const messages = entries.filter((entry) => entry.type === "message");
  const above = messages.filter(({ seq }) => seq > findViewFloorSeq(read));
  const found = pick(above, at);
  switch (type) {
    case "clear":
      return {
        type,
        throughSeq: read.foldedThroughSeq,
        scope: at < 0.6 ? "next-generation" : "for-good",
        keepsPreamble: at < 0.9,
      };
    case "unpin":
      return read.pins.length === 0
        ? undefined
        : { type, pinIds: read.pins.slice(Math.floor(at * 3)).map(({ id }) => id), reason: "" };
    case "undo":
    case "redo":
      return undoOf(entries, (type === "undo" ? read.undoable : read.redoable).at(-1));
    default:
      break;
  }
  if (found === undefined) return undefined;
  switch (type) {
    case "prune":
      return prune(pruneOf(found.seq, 0), pruneOf(found.seq, at < 0.5 ? 1 : 2));
    case "truncate":
      return {
        ...truncate(found.seq),
        keptRequests: [found.seq],
        readThroughSeq: read.foldedThroughSeq,
        dropsSummary: at < 0.3,
      };
    case "summary":
      return { ...summarize(`e${entries.length + 1}`, found.seq), readThroughSeq: read.foldedThroughSeq };
    case "pin":
      return at < 0.2 ? note(`note ${entries.length}`) : pin(found.seq, found.seq);
    case "delete":
      return { type, messageIds: [found.id], seqs: [found.seq], dropsSummary: read.summary !== undefined && at < 0.5 };
    default:
      return undefined;
  }
}

function undoOf(entries: readonly Entry[], step: Head["undoable"][number] | undefined): WithoutStamp | undefined {
  if (step === undefined) return undefined;
  const summaries = entries.flatMap((entry) => (entry.type === "summary" ? [entry.record] : []));
  const summary = summaries.find(({ id }) => id === step.before.summaryId);
  return { type: "undo", undoes: step.entryId, summary, holdThroughCount: entries.length + 10 };
}

describe("foldEntries, for any log", () => {
  test("is tested with logs that contain all types of entries except recall and dismiss", () => {
    const seen = new Set(
      fc
        .sample(steps, { numRuns: 200, seed: 7 })
        .flatMap((all) => play(all).entries)
        .map(({ type }) => type),
    );
    expect([...seen].toSorted()).toEqual([
      "clear",
      "delete",
      "message",
      "note",
      "pin",
      "prune",
      "request",
      "summary",
      "truncate",
      "undo",
      "unpin",
    ]);
  });

  test("returns the same head if the log is folded in two parts", () => {
    fc.assert(
      fc.property(steps, fractions(), (planned, at) => {
        const { entries } = play(planned);
        const place = Math.floor(at * (entries.length + 1));
        expect(foldEntries(entries.slice(place), foldEntries(entries.slice(0, place)))).toEqual(foldEntries(entries));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("ignores entries that the head already contains", () => {
    fc.assert(
      fc.property(steps, fractions(), (planned, at) => {
        const { entries } = play(planned);
        const head = foldEntries(entries);
        expect(foldEntries(entries.slice(Math.floor(at * entries.length)), head)).toEqual(head);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns the same head when it continues from a head that an entry in the log contains", () => {
    let overtaken = 0;
    fc.assert(
      fc.property(steps, (planned) => {
        const { entries, stored } = play(planned);
        for (const [index, { head, seq }] of stored.entries()) {
          if (head.foldedThroughSeq < seq - 1) overtaken += 1;
          const nextChange = stored[index + 1]?.seq ?? entries.length + 1;
          for (const end of [seq, nextChange - 1]) {
            const later = entries.slice(head.foldedThroughSeq, end);
            expect(foldEntries(later, head)).toEqual(foldEntries(entries.slice(0, end)));
          }
        }
        const last = stored.at(-1)?.head ?? EMPTY_HEAD;
        expect(foldEntries(entries.slice(last.foldedThroughSeq), last)).toEqual(foldEntries(entries));
      }),
      { numRuns: propertyRuns() },
    );
    expect(overtaken).toBeGreaterThan(100);
  });

  test("keeps a limited number of undo and redo steps", () => {
    fc.assert(
      fc.property(steps, (planned) => {
        const { undoable, redoable } = foldEntries(play(planned).entries);
        expect(undoable.length + redoable.length).toBeLessThanOrEqual(UNDO_DEPTH);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("counts every message, request and epoch", () => {
    fc.assert(
      fc.property(steps, (planned) => {
        const { entries } = play(planned);
        const head = foldEntries(entries);
        expect(head.messageCount).toBe(entries.filter(({ type }) => type === "message").length);
        expect(head.epoch).toBe(entries.filter((entry) => "epoch" in entry).length);
        expect(head.foldedThroughSeq).toBe(entries.length);
        expect(head.requestCount).toBe(entries.filter(({ type }) => type === "request").length);
        expect(head.compactedThroughSeq).toBeLessThanOrEqual(head.foldedThroughSeq);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("does not mutate the given head", () => {
    fc.assert(
      fc.property(steps, (planned) => {
        const { entries } = play(planned);
        const before = foldEntries(entries.slice(0, -1));
        const copy = structuredClone(before);
        for (const entry of entries.slice(-1)) foldEntry(before, entry);
        expect(before).toEqual(copy);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
