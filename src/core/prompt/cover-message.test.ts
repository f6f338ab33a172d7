import { describe, expect, test } from "vitest";
import { EMPTY_HEAD, type Head, type LivePin } from "../log/head.ts";
import type { SummaryRecord } from "../summary/record.ts";
import { coverMessage, pinnedSeam } from "./cover-message.ts";

const FACETS = { constraints: [], decisions: [], actionItems: [], unresolved: [], entities: [], participants: [] };
const summary: SummaryRecord = {
  id: "s1",
  at: 0,
  depth: 0,
  coverage: { firstSeq: 1, lastSeq: 4, count: 4, chainHash: "" },
  messageIds: [],
  text: "Ana decided on blue.",
  keyPoints: [],
  facets: { ...FACETS, done: [] },
  strategy: "offline",
  reason: "too long",
  tokensBefore: 100,
  tokensAfter: 10,
};
const truncated = (firstSeq: number, lastSeq: number): Head["truncation"] => ({
  id: "t1",
  coverage: { firstSeq, lastSeq, count: lastSeq - firstSeq + 1 },
  coveredTokens: 1_234,
  reason: "did not fit",
});
const pinned = (seq: number): LivePin => ({
  id: `p${seq}`,
  target: { type: "messages", messageId: `m${seq}`, seqs: [seq] },
});
const noted = (text: string): LivePin => ({ id: text, target: { type: "note", text } });

const textsOf = (changes: Partial<Head>): readonly string[] =>
  coverMessage({ ...EMPTY_HEAD, ...changes })?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) ?? [];

describe("coverMessage", () => {
  test("is absent where nothing is covered", () => {
    expect(coverMessage(EMPTY_HEAD)).toBeUndefined();
  });

  test("is user-role data: summary, what was truncated, notes, in that order", () => {
    const head = {
      ...EMPTY_HEAD,
      summary,
      truncation: truncated(5, 9),
      pins: [noted("Ana decides."), noted("In euros.")],
    };
    expect(coverMessage(head)).toMatchObject({ role: "user" });
    expect(textsOf(head)).toEqual([
      "[Summary of the 4 earlier messages]\nAna decided on blue.",
      "[5 earlier messages (1234 tokens) not shown here.]",
      "[Pinned notes]\n- Ana decides.\n- In euros.",
    ]);
  });

  test("counts one message in the singular", () => {
    expect(textsOf({ truncation: truncated(1, 1) })[0]).toMatch(/^\[1 earlier message \(/);
  });

  test("counts only what is not shown: not what is pinned, asked last or an instruction", () => {
    const head = { truncation: truncated(1, 9), pins: [pinned(3), pinned(12)], preamble: [1], keptRequests: [7] };
    expect(textsOf(head)[0]).toMatch(/^\[6 earlier messages/);
  });

  test("says nothing of a truncation all of which is shown", () => {
    expect(textsOf({ truncation: truncated(1, 2), pins: [pinned(1)], keptRequests: [2] })).toEqual([]);
  });

  test("says nothing of pinned messages: they stand for themselves", () => {
    expect(coverMessage({ ...EMPTY_HEAD, pins: [pinned(3)] })).toBeUndefined();
  });

  test("sends nothing older while a clear for the next generation is open, and all of it again afterwards", () => {
    const head = {
      summary,
      truncation: truncated(5, 9),
      pins: [noted("Ana decides.")],
      clearedOnce: { throughSeq: 12, epoch: 3 },
    };
    expect(textsOf({ ...head, completedEpoch: 2 })).toEqual(["[Pinned notes]\n- Ana decides."]);
    expect(textsOf({ ...head, completedEpoch: 3 }).length).toBe(3);
  });
});

describe("pinnedSeam", () => {
  test("is a user message that says where the recent conversation goes on", () => {
    expect(pinnedSeam()).toMatchObject({
      role: "user",
      parts: [{ type: "text", text: expect.stringContaining("pinned") }],
    });
  });
});
