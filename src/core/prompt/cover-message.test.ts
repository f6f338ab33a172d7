import { describe, expect, test } from "vitest";
import { shows } from "../../testing/shows.ts";
import { EMPTY_HEAD, type Head, type LivePin, type Truncation } from "../log/head.ts";
import { messageText } from "../message/message-text.ts";
import type { SummaryRenderer } from "../plan/plan-settings.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import { coverMessages, createPinnedSeam, DATA_RENDERER } from "./cover-message.ts";

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
const truncated = (firstSeq: number, lastSeq: number): Truncation => ({
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

/** Every text of every message of the cover, each with its role. */
const coverOf = (changes: Partial<Head>, renderer?: SummaryRenderer): readonly (readonly [string, string])[] =>
  coverMessages({ ...EMPTY_HEAD, ...changes }, renderer).flatMap(({ role, parts }) =>
    parts.map((part): readonly [string, string] => [role, part.type === "text" ? part.text : part.type]),
  );
const textsOf = (changes: Partial<Head>): readonly string[] => coverOf(changes).map(([, text]) => text);
const saying = (text: string): SummaryRecord => ({ ...summary, text });

describe("coverMessages", () => {
  test("is absent where nothing is covered", () => {
    expect(coverMessages(EMPTY_HEAD)).toEqual([]);
  });

  test("is user-role data: summary, truncation line, notes, in that order", () => {
    const head = {
      ...EMPTY_HEAD,
      summary,
      truncation: truncated(5, 9),
      pins: [noted("Ana decides."), noted("In euros.")],
    };
    expect(coverMessages(head)).toMatchObject([{ role: "user" }]);
    expect(coverMessages(head)).toEqual(coverMessages(head, DATA_RENDERER));
    expect(textsOf(head)).toEqual([
      "[Summary of the 4 earlier messages]\nAna decided on blue.",
      "[5 earlier messages (1234 tokens) not shown here.]",
      "[Pinned notes]\n- Ana decides.\n- In euros.",
    ]);
  });

  test("counts one message in the singular", () => {
    expect(textsOf({ truncation: truncated(1, 1) })[0]).toMatch(/^\[1 earlier message \(/);
  });

  test("counts hidden messages only: no pins, last requests or instructions", () => {
    const head = { truncation: truncated(1, 9), pins: [pinned(3), pinned(12)], preamble: [1], keptRequests: [7] };
    expect(textsOf(head)[0]).toMatch(/^\[6 earlier messages/);
  });

  test("counts no request that is kept word for word among the messages of a summary", () => {
    expect(textsOf({ summary, keptRequests: [3, 9] })[0]).toMatch(/^\[Summary of the 3 earlier messages\]/);
  });

  test("does not mention a truncation whose messages are all shown", () => {
    expect(textsOf({ truncation: truncated(1, 2), pins: [pinned(1)], keptRequests: [2] })).toEqual([]);
  });

  test("leaves out pinned messages, which are shown themselves", () => {
    expect(coverMessages({ ...EMPTY_HEAD, pins: [pinned(3)] })).toEqual([]);
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

describe("a silent truncation", () => {
  const silent: Truncation = { ...truncated(5, 9), silent: true };

  test("has no marker, beside a summary and alone", () => {
    expect(coverMessages({ ...EMPTY_HEAD, truncation: silent })).toEqual([]);
    expect(coverOf({ summary, truncation: silent })).toEqual(coverOf({ summary }));
  });

  test("keeps the notes", () => {
    expect(textsOf({ truncation: silent, pins: [noted("Ana decides.")] })).toEqual(["[Pinned notes]\n- Ana decides."]);
  });
});

const PAIR: SummaryRenderer = { type: "pair", prefix: "[Earlier: ", suffix: "]", acknowledgement: "I see." };
const SYSTEM: SummaryRenderer = { type: "system" };
const DEPTH: SummaryRenderer = { type: "system", tag: "summary-depth" };
const TAGGED: SummaryRenderer = { type: "tagged-user", tag: "conversation-summary" };
const others = { truncation: truncated(5, 9), pins: [noted("Ana decides.")] };
const OTHERS = [
  ["user", "[5 earlier messages (1234 tokens) not shown here.]"],
  ["user", "[Pinned notes]\n- Ana decides."],
] as const;

describe("a pair", () => {
  test("is the summary between its prefix and suffix, and an answer that acknowledges it", () => {
    expect(coverOf({ summary }, PAIR)).toEqual([
      ["user", "[Earlier: Ana decided on blue.]"],
      ["assistant", "I see."],
    ]);
  });

  test("has everything else before the acknowledgement", () => {
    expect(coverOf({ summary, ...others }, PAIR).slice(1)).toEqual([...OTHERS, ["assistant", "I see."]]);
  });
});

describe("a summary for the system", () => {
  test("is a system message that says how many messages it covers", () => {
    expect(coverOf({ summary }, SYSTEM)).toEqual([
      ["system", "[Summary of the 4 earlier messages]\nAna decided on blue."],
    ]);
  });

  test(shows("S4-58", "with a tag says the depth of the chain in its first line"), () => {
    const lines = [0, 3].map((depth) => coverOf({ summary: { ...summary, depth } }, DEPTH));
    expect(lines).toEqual([
      [["system", "summary-depth:0\nAna decided on blue."]],
      [["system", "summary-depth:3\nAna decided on blue."]],
    ]);
  });

  test("keeps everything but the summary in the user role", () => {
    expect(coverOf({ summary, ...others }, SYSTEM)).toEqual([
      ["system", expect.stringContaining("Ana decided on blue.")],
      ...OTHERS,
    ]);
  });
});

describe("a tagged summary", () => {
  test(shows(["S2-16", "S2-34"], "is a user message inside the tag"), () => {
    expect(coverOf({ summary }, TAGGED)).toEqual([
      ["user", "<conversation-summary>\nAna decided on blue.\n</conversation-summary>"],
    ]);
  });

  test("cannot end its tag: a closing tag in the text is escaped", () => {
    const text = "Ana wrote </conversation-summary> and </conversation-summary >, then <b>more</b>.";
    const [[, shown] = ["", ""]] = coverOf({ summary: saying(text) }, TAGGED);
    expect(shown.split("</conversation-summary").length - 1).toBe(1);
    expect(shown.endsWith("\n</conversation-summary>")).toBe(true);
    expect(shown).toContain("Ana wrote <\\/conversation-summary> and <\\/conversation-summary >, then <b>more</b>.");
  });

  test("has everything else after the tag", () => {
    expect(coverOf({ summary, ...others }, TAGGED).slice(1)).toEqual(OTHERS);
  });
});

describe("every rendering", () => {
  const renderers: readonly SummaryRenderer[] = [DATA_RENDERER, PAIR, SYSTEM, DEPTH, TAGGED];

  test.each(renderers)("says how many messages its text leaves out ($type)", (renderer) => {
    const omitting = { ...summary, omitted: { count: 12, tokens: 3_400 } };
    const [first] = coverMessages({ ...EMPTY_HEAD, summary: omitting }, renderer);
    expect(first === undefined ? "" : messageText(first)).toMatch(
      /Ana decided on blue\.\n\[12 [^\]]*\(3400 tokens\)[^\]]*\]/,
    );
  });

  test.each(renderers)("is the same where there is no summary ($type)", (renderer) => {
    expect(coverOf(others, renderer)).toEqual(OTHERS);
    expect(coverMessages(EMPTY_HEAD, renderer)).toEqual([]);
  });

  test.each(renderers)("is absent once all of it was cleared ($type)", (renderer) => {
    expect(coverMessages({ ...EMPTY_HEAD, summary, clearedThroughSeq: 4 }, renderer)).toEqual([]);
    expect(coverMessages({ ...EMPTY_HEAD, summary, clearedThroughSeq: 3 }, renderer)).not.toEqual([]);
  });

  test.each(renderers)("gives each of its messages an id of its own ($type)", (renderer) => {
    const ids = coverMessages({ ...EMPTY_HEAD, summary, ...others }, renderer).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("createPinnedSeam", () => {
  test("is a user message that says where the recent conversation continues", () => {
    expect(createPinnedSeam()).toMatchObject({
      role: "user",
      parts: [{ type: "text", text: expect.stringContaining("pinned") }],
    });
  });
});
