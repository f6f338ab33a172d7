import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { fractions, histories } from "../../testing/generate-histories.ts";
import { hashMessage } from "../message/hash-message.ts";
import type { Message } from "../message/message.ts";
import { messageText } from "../message/message-text.ts";
import type { EpochDraft, MessageEntry } from "./entry.ts";
import { foldEntries, foldEpochEntry } from "./fold-entry.ts";
import { EMPTY_HEAD, findKeptSeqs, findViewFloorSeq, type Head } from "./head.ts";
import type { Prune } from "./prune.ts";
import { buildView, reviseView, type View } from "./view.ts";

const { aUserMessage, aSystemMessage, anAssistantMessage } = messageBuilder();
const count = (message: Message): number => messageText(message).length;

type WithoutStamp<Draft = EpochDraft> = Draft extends unknown ? Omit<Draft, "id" | "at" | "epoch"> : never;

function entriesOf(messages: readonly Message[]): readonly MessageEntry[] {
  return messages.map((message, index) => ({
    type: "message",
    id: message.id,
    seq: index + 1,
    at: 0,
    message,
    hash: hashMessage(message),
    tokens: {},
  }));
}

const headOf = (entries: readonly MessageEntry[], ...changes: readonly WithoutStamp[]): Head =>
  changes.reduce<Head>(
    (head, change, index) =>
      foldEpochEntry(head, { ...change, id: `e${head.epoch}-${index}`, at: 0, epoch: head.epoch + 1 }),
    foldEntries(entries),
  );

const truncate = (lastSeq: number, keptRequests: readonly number[] = []): WithoutStamp => ({
  type: "truncate",
  coverage: { firstSeq: 1, lastSeq, count: lastSeq },
  coveredTokens: 10,
  keptRequests,
  reason: "did not fit",
});
const clear = (throughSeq: number): WithoutStamp => ({
  type: "clear",
  throughSeq,
  scope: "for-good",
  keepsPreamble: true,
});
const pin = (...seqs: readonly number[]): WithoutStamp => ({
  type: "pin",
  target: { type: "messages", messageId: `m${seqs[0]}`, seqs },
});
const pruneOf = (seq: number, fate: Prune["fate"] = "pruned"): Prune => ({
  seq,
  messageId: `m${seq}`,
  partIndex: 0,
  fate,
  replacement: { type: "text", text: "[removed]" },
  reason: "to save room",
});
const prune = (...prunes: readonly Prune[]): WithoutStamp => ({ type: "prune", prunes, reason: "to save room" });

const seqsOf = ({ kept, messages }: View): readonly (readonly number[])[] =>
  [kept, messages].map((items) => items.map(({ seq }) => seq));

describe("buildView", () => {
  const entries = entriesOf([
    aSystemMessage("Be brief."),
    aUserMessage("One."),
    anAssistantMessage("Two."),
    aUserMessage("Three."),
    anAssistantMessage("Four."),
    aUserMessage("Five."),
  ]);
  const view = (...changes: readonly WithoutStamp[]): View =>
    buildView(headOf(entries, ...changes), entries, { count });

  test("shows every message verbatim if nothing changed", () => {
    const { kept, messages } = view();
    expect(kept).toEqual([]);
    expect(messages.map(({ seq, fate }) => [seq, fate])).toEqual([1, 2, 3, 4, 5, 6].map((seq) => [seq, "verbatim"]));
    expect(
      messages.every(({ message, shown }, index) => message === entries[index]?.message && shown === message),
    ).toBe(true);
    expect(messages.map(({ tokens }) => tokens)).toEqual([9, 4, 4, 6, 5, 5]);
  });

  test("shows the preamble and the messages above the view floor", () => {
    expect(seqsOf(view(truncate(4)))).toEqual([[1], [5, 6]]);
    expect(seqsOf(view(clear(5)))).toEqual([[1], [6]]);
  });

  test("extends an earlier clear by a truncation, and replaces an earlier truncation with a clear", () => {
    expect(seqsOf(view(clear(3), truncate(5)))).toEqual([[1], [6]]);
    expect(seqsOf(view(truncate(5), clear(3)))).toEqual([[1], [4, 5, 6]]);
  });

  test("keeps pinned messages below the view floor in order, and marks pinned ones above it", () => {
    const pinned = view(pin(5), pin(2, 3), truncate(4));
    expect(seqsOf(pinned)).toEqual([
      [1, 2, 3],
      [5, 6],
    ]);
    expect([...pinned.kept, ...pinned.messages].filter(({ fate }) => fate === "pinned").map(({ seq }) => seq)).toEqual([
      2, 3, 5,
    ]);
  });

  test("keeps the last requests below the view floor, and gives each kept message its reason", () => {
    const { kept } = view(pin(2), truncate(5, [4]));
    expect(kept.map(({ seq, fate }) => [seq, fate])).toEqual([
      [1, "verbatim"],
      [2, "pinned"],
      [4, "verbatim"],
    ]);
    expect(new Set(kept.map(({ reason }) => reason)).size).toBe(3);
  });

  test("hides cleared messages even if they are pinned", () => {
    expect(seqsOf(view(pin(2), clear(4)))).toEqual([[1], [5, 6]]);
  });

  test("shows the replacement of a pruned message with its tokens and the reason", () => {
    const { messages } = view(prune(pruneOf(3), pruneOf(5, "cut")));
    expect(messages.filter(({ fate }) => fate !== "verbatim")).toEqual([
      {
        seq: 3,
        message: entries[2]?.message,
        shown: { ...entries[2]?.message, parts: [{ type: "text", text: "[removed]" }] },
        tokens: 9,
        fate: "pruned",
        reason: "to save room",
        entryId: expect.any(String),
      },
      expect.objectContaining({ seq: 5, fate: "cut" }),
    ]);
  });

  test("shows a pinned message whole even if it was pruned", () => {
    const shown = view(prune(pruneOf(3)), pin(3)).messages[2];
    expect(shown).toMatchObject({ fate: "pinned", tokens: 4 });
    expect(shown?.shown).toBe(entries[2]?.message);
  });

  test("leaves out erased messages and lists their seqs above the view floor", () => {
    const erased = entries.map((entry) => (entry.seq === 3 || entry.seq === 5 ? { ...entry, erased: true } : entry));
    const head = headOf(entries, truncate(3));
    const shown = buildView(head, erased, { count });
    expect(seqsOf(shown)).toEqual([[1], [4, 6]]);
    expect(shown.erasedSeqs).toEqual([5]);
  });

  test("needs no messages below the view floor except kept ones", () => {
    const head = headOf(entries, truncate(4));
    const needed = entries.filter(({ seq }) => seq > findViewFloorSeq(head) || findKeptSeqs(head).includes(seq));
    expect(needed.length).toBeLessThan(entries.length);
    expect(buildView(head, needed, { count })).toEqual(buildView(head, entries, { count }));
  });

  test("returns an empty view for an empty log", () => {
    expect(buildView(EMPTY_HEAD, [], { count })).toEqual({
      head: EMPTY_HEAD,
      kept: [],
      messages: [],
      notes: [],
      erasedSeqs: [],
    });
  });
});

interface Step {
  readonly type: "truncate" | "prune" | "cut" | "pin" | "unpin" | "clear";
  readonly at: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    type: fc.constantFrom<Step["type"][]>("prune", "cut", "pin", "unpin", "truncate", "clear"),
    at: fractions(),
  }),
  { maxLength: 6, size: "max" },
);

/** Applies each step to a message above the view floor. */
function changeHead(start: Head, planned: readonly Step[], entries: readonly MessageEntry[]): Head {
  return planned.reduce((head, { type, at }, index) => {
    const above = entries.filter(({ seq }) => seq > findViewFloorSeq(head));
    const seq = above[Math.floor(at * above.length)]?.seq;
    if (seq === undefined) return head;
    const change: WithoutStamp =
      type === "truncate"
        ? truncate(seq, at < 0.5 ? [seq] : [])
        : type === "clear"
          ? clear(seq)
          : type === "pin"
            ? pin(seq)
            : type === "unpin"
              ? { type, pinIds: head.pins.slice(0, 1).map(({ id }) => id), reason: "" }
              : prune(pruneOf(seq, type === "cut" ? "cut" : "pruned"));
    return foldEpochEntry(head, { ...change, id: `${head.epoch}-${index}`, at: 0, epoch: head.epoch + 1 });
  }, start);
}

describe("reviseView", () => {
  test("returns the same view as buildView if the view floor does not fall", () => {
    let raised = 0;
    fc.assert(
      fc.property(histories({ maxTurns: 5, longestCharacters: 200 }), steps, steps, (history, first, second) => {
        const entries = entriesOf(history).map((entry) => (entry.seq % 7 === 0 ? { ...entry, erased: true } : entry));
        const before = changeHead(foldEntries(entries), first, entries);
        const after = changeHead(before, second, entries);
        if (findViewFloorSeq(after) > findViewFloorSeq(before)) raised += 1;
        const revised = reviseView(buildView(before, entries, { count }), after, { count });
        expect(revised).toEqual(buildView(after, entries, { count }));
      }),
      { numRuns: propertyRuns(500) },
    );
    expect(raised).toBeGreaterThan(100);
  });
});

describe("buildView, for any head", () => {
  test("shows every message above the view floor once and in order", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 5, longestCharacters: 200 }), steps, (history, planned) => {
        const entries = entriesOf(history);
        const head = changeHead(foldEntries(entries), planned, entries);
        const shown = seqsOf(buildView(head, entries, { count })).flat();
        expect(shown).toEqual(shown.toSorted((left, right) => left - right));
        expect(new Set(shown).size).toBe(shown.length);
        const hidden = entries.map(({ seq }) => seq).filter((seq) => !shown.includes(seq));
        expect(hidden.every((seq) => seq <= findViewFloorSeq(head))).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
