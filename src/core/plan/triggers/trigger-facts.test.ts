import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../../testing/builders.ts";
import { shows } from "../../../testing/shows.ts";
import type { MessageEntry } from "../../log/entry.ts";
import { foldEntries, foldEpochEntry } from "../../log/fold-entry.ts";
import { EMPTY_HEAD, type Head } from "../../log/head.ts";
import { buildView, type View } from "../../log/view.ts";
import type { Message } from "../../message/message.ts";
import type { SummaryRecord } from "../../summary/record/record.ts";
import { areSoftTriggersHeld, countMessagesAfter, countViewFacts } from "./trigger-facts.ts";

const { aUserMessage, anAssistantMessage, aSystemMessage, anExchange, aRound } = messageBuilder();

const entryOf = (message: Message, index: number): MessageEntry => ({
  type: "message",
  id: message.id,
  seq: index + 1,
  at: 0,
  message,
  hash: "",
  tokens: {},
});

function aRecord(lastSeq: number, depth = 0): SummaryRecord {
  const lists = { constraints: [], decisions: [], actionItems: [], unresolved: [], entities: [], participants: [] };
  return {
    id: `s${depth}`,
    at: 0,
    depth,
    coverage: { firstSeq: 1, lastSeq, count: lastSeq, chainHash: "" },
    messageIds: [],
    text: "They agreed.",
    keyPoints: [],
    facets: { ...lists, done: [] },
    strategy: "offline",
    reason: "test",
    tokensBefore: 100,
    tokensAfter: 10,
  };
}

interface CoveringSummary {
  readonly record: SummaryRecord;
  readonly keptRequests?: readonly number[] | undefined;
}

function viewOf(messages: readonly Message[], covered?: CoveringSummary): View {
  const entries = messages.map(entryOf);
  const unsummarized = foldEntries(entries);
  const head = covered === undefined ? unsummarized : summarized(unsummarized, covered);
  return buildView(head, entries, { count: () => 1 });
}

function summarized(head: Head, { record, keptRequests = [] }: CoveringSummary): Head {
  const stamp = { id: record.id, at: 0, epoch: head.epoch + 1 };
  return foldEpochEntry(head, { type: "summary", ...stamp, record, keptRequests });
}

const exchanges = (count: number): readonly Message[] =>
  Array.from({ length: count }, () => anExchange("And then?", "Then it rained.")).flat();

describe("countViewFacts", () => {
  test("returns zeros for an empty view", () => {
    expect(countViewFacts(viewOf([]))).toEqual({ messages: 0, textMessages: 0, summaryRecords: 0 });
  });

  test(
    shows("S0-55", "does not count system messages, blank messages, tool messages or thinking as textMessages"),
    () => {
      const thought = anAssistantMessage("", { parts: [{ type: "reasoning", text: "Hm." }] });
      const view = viewOf([
        aUserMessage("Look."),
        ...aRound([{ callId: "a", output: "export {}" }]),
        anAssistantMessage(""),
        aUserMessage(" \n\t "),
        thought,
        aSystemMessage("A note in the middle."),
        ...aRound([{ callId: "b", output: "export {}" }], { text: "Once more." }),
        anAssistantMessage("", {
          parts: [
            { type: "text", text: " " },
            { type: "text", text: "Done." },
          ],
        }),
      ]);
      expect(countViewFacts(view).textMessages).toBe(3);
    },
  );

  test("counts all messages except the instructions at the start", () => {
    const view = viewOf([aSystemMessage("Be brief."), ...exchanges(2), ...aRound([{ callId: "a", output: "x" }])]);
    expect(countViewFacts(view)).toMatchObject({ messages: 6, textMessages: 4 });
  });

  test(shows("S1-53", "does not count a summary as a message"), () => {
    const view = viewOf(exchanges(8), { record: aRecord(4) });
    expect(countViewFacts(view)).toEqual({ messages: 12, textMessages: 12, summaryRecords: 1 });
  });

  test("does not count covered messages that are kept in the view", () => {
    const view = viewOf([aSystemMessage("Be brief."), ...exchanges(8)], { record: aRecord(5), keptRequests: [4] });
    expect(view.kept.map(({ seq }) => seq)).toEqual([1, 4]);
    expect(countViewFacts(view).messages).toBe(12);
  });

  test("returns the depth of the chain plus one as summaryRecords", () => {
    expect(countViewFacts(viewOf(exchanges(3), { record: aRecord(2, 2) })).summaryRecords).toBe(3);
  });
});

describe("countMessagesAfter", () => {
  test("does not count the tail that a compaction kept", () => {
    const atCompaction = exchanges(6);
    const view = viewOf([...atCompaction, ...exchanges(2)], { record: aRecord(6) });
    expect(countViewFacts(view).messages).toBe(10);
    expect(countMessagesAfter(view, atCompaction.length)).toBe(4);
  });
});

describe("areSoftTriggersHeld", () => {
  test.each([
    [14, true],
    [15, false],
    [16, false],
  ])("with a holdThroughCount of 15, at %i messages, returns %s", (messageCount, expected) => {
    expect(areSoftTriggersHeld({ ...EMPTY_HEAD, holdThroughCount: 15, messageCount })).toBe(expected);
  });

  test("returns false without an undo", () => {
    expect(areSoftTriggersHeld(EMPTY_HEAD)).toBe(false);
  });
});
