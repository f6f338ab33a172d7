import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countByCharacters, viewOf } from "../../../test/support/core-values.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { DEFAULT_POLICY } from "../../policies/default-policy.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { findViewFloorSeq } from "../log/head.ts";
import { reviseView, type View } from "../log/view.ts";
import type { Message } from "../message/message.ts";
import { startAssembly } from "../prompt/assemble-prompt.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import { countPart } from "../tokens/count-message.ts";
import { charsOverFour } from "../tokens/rough-counters.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import {
  createTruncation,
  dropBefore,
  dropOldest,
  findBorder,
  findFoldableBorders,
  findKeptRequests,
} from "./drop-oldest.ts";
import { findRoundBorders } from "./find-tail.ts";
import type { PlanSettings } from "./plan-settings.ts";
import { type Change, foldChanges } from "./proposal.ts";
import { startTentativeView, type TentativeView } from "./tentative-view.ts";

const count = countByCharacters;

const SETTINGS: PlanSettings = { ...DEFAULT_POLICY, keepOpenRequest: true };

const needOf = (limitTokens: number, targetTokens: number, wish: Partial<CompactionNeed> = {}): CompactionNeed => ({
  urgency: "hard",
  maySummarize: true,
  limitTokens,
  targetTokens,
  settings: SETTINGS,
  reason: "did not fit",
  measure: (view) => startAssembly(view, count).tokens,
  uncalibrate: (tokens) => tokens,
  count,
  countPart: (part) => countPart(part, charsOverFour),
  *countAhead() {
    yield undefined;
  },
  describeFloor: () => [],
  ...wish,
});

/** Assistant messages only, so that no request has to be kept. */
const answersOf = (characters: readonly number[]): readonly Message[] => {
  const { anAssistantMessage } = messageBuilder();
  return characters.map((length) => anAssistantMessage("a".repeat(length)));
};
const floorOf = ({ view }: TentativeView): number => findViewFloorSeq(view.head);

describe("dropOldest", () => {
  const view = viewOf(answersOf(Array(20).fill(396)));

  test("drops as few of the oldest rounds as the target requires", () => {
    const need = needOf(2_000, 1_000);
    const dropped = dropOldest(startTentativeView(view, need), need);
    expect(dropped.tokens).toBeLessThanOrEqual(1_000);
    expect(dropped.tokens).toBeGreaterThan(1_000 - 104);
  });

  test("leaves room for the next turns if the target cannot be reached", () => {
    const need = needOf(2_000, 10);
    const dropped = dropOldest(startTentativeView(view, need), need);
    const least = dropOldest(startTentativeView(view, need), needOf(0, 0)).tokens;
    expect(dropped.tokens).toBeLessThanOrEqual((least + 2_000) / 2);
    expect(dropped.tokens).toBeGreaterThan((least + 2_000) / 2 - 104);
  });

  test("never drops the newest round", () => {
    const need = needOf(1, 1);
    expect(floorOf(dropOldest(startTentativeView(view, need), need))).toBe(19);
  });

  test("returns the same view if dropping rounds saves no tokens", () => {
    const need = needOf(1, 1);
    for (const short of [viewOf([]), viewOf(answersOf([400])), viewOf(answersOf([1, 4]))]) {
      const start = startTentativeView(short, need);
      expect(dropOldest(start, need)).toBe(start);
    }
  });

  test("finds the same border as a linear search", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 2, maxLength: 40 }),
        fc.double({ min: 0.02, max: 0.98, noNaN: true }),
        (lengths, share) => {
          const whole = viewOf(answersOf(lengths));
          const start = startTentativeView(whole, needOf(0, 0));
          const need = needOf(start.tokens, Math.floor(start.tokens * share));
          const sizes = findRoundBorders(whole.messages)
            .slice(1, -1)
            .map((border) => ({ border, tokens: need.measure(withoutOldest(whole, border)) }));
          const first = sizes.find(({ tokens }) => tokens <= need.targetTokens && tokens < start.tokens);
          const found = dropOldest(start, need);
          if (first !== undefined) expect([floorOf(found), found.tokens]).toEqual([first.border, first.tokens]);
        },
      ),
      { numRuns: propertyRuns() },
    );
  });
});

function withoutOldest(view: View, border: number): View {
  const dropped = view.messages.slice(0, border);
  const change: Change = {
    type: "truncate",
    coverage: { firstSeq: 1, lastSeq: border, count: border },
    coveredTokens: dropped.reduce((sum, { tokens }) => sum + tokens, 0),
    keptRequests: [],
    reason: "did not fit",
  };
  return reviseView(view, foldChanges(view.head, [change]), { count });
}

const FACETS = { constraints: [], decisions: [], actionItems: [], unresolved: [], entities: [], participants: [] };
const aRecord = (lastSeq: number): SummaryRecord => ({
  id: "s1",
  at: 0,
  depth: 0,
  coverage: { firstSeq: 1, lastSeq, count: lastSeq, chainHash: "" },
  messageIds: [],
  text: "s".repeat(400),
  keyPoints: [],
  facets: { ...FACETS, done: [] },
  strategy: "offline",
  reason: "too long",
  tokensBefore: 100 * lastSeq,
  tokensAfter: 100,
});
const summarized = (lastSeq: number): Change => ({ type: "summary", record: aRecord(lastSeq), keptRequests: [] });
const truncated = (firstSeq: number, lastSeq: number): Change => ({
  type: "truncate",
  coverage: { firstSeq, lastSeq, count: lastSeq - firstSeq + 1 },
  coveredTokens: 104 * (lastSeq - firstSeq + 1),
  keptRequests: [],
  reason: "did not fit",
});
const answers = answersOf(Array(20).fill(396));
const ANSWER_TOKENS = 103;

describe("findFoldableBorders", () => {
  test("returns the borders between rounds, up to the newest round", () => {
    const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
    const rounds = [...aRound([{ callId: "a", output: "x" }]), ...aRound([{ callId: "b", output: "y" }])];
    const view = viewOf([aUserMessage("Look."), ...rounds, anAssistantMessage("Done.")]);
    expect(findFoldableBorders(startTentativeView(view, needOf(0, 0)))).toEqual([1, 3, 5]);
  });

  test("returns no borders for a single round or an empty view", () => {
    for (const view of [viewOf([]), viewOf(answersOf([400]))]) {
      expect(findFoldableBorders(startTentativeView(view, needOf(0, 0)))).toEqual([]);
    }
  });
});

describe("findBorder", () => {
  const need = needOf(2_000, 1_000);
  const start = startTentativeView(viewOf(answers), need);
  const borders = findFoldableBorders(start);

  test("leaves room for the tokens that will replace the dropped messages", () => {
    const [bare, reserved] = [0, 300].map((addedTokens) => findBorder(start, need, { borders, addedTokens }));
    expect(bare?.left.tokens).toBeGreaterThan(1_000 - 104);
    expect(reserved?.left.tokens).toBeLessThanOrEqual(700);
    expect(reserved?.left.tokens).toBeGreaterThan(700 - 104);
  });

  test("considers only the given borders", () => {
    expect(findBorder(start, need, { borders: [3, 19], addedTokens: 0 })?.border).toBe(19);
    expect(findBorder(start, need, { borders: [3], addedTokens: 0 })?.border).toBe(3);
    expect(findBorder(start, need, { borders: [], addedTokens: 0 })).toBeUndefined();
  });

  test("measures the views that `leave` returns instead of truncations", () => {
    const before = startTentativeView(viewOf(answers, summarized(4)), need);
    const search = { borders: findFoldableBorders(before), addedTokens: 0 };
    const kept = findBorder(before, need, search);
    const replaced = findBorder(before, need, { ...search, leave: (border) => dropBefore(before, border, need) });
    expect(kept?.left.view.head.summary?.id).toBe("s1");
    expect(replaced?.left.view.head.summary).toBeUndefined();
    expect(replaced?.border).toBeLessThan(kept?.border ?? 0);
  });
});

describe("dropBefore", () => {
  test("removes the summary and all messages before the border", () => {
    const need = needOf(2_000, 1_000);
    const { view } = dropBefore(startTentativeView(viewOf(answers, summarized(4)), need), 6, need);
    expect(view.head.summary).toBeUndefined();
    expect(view.messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, index) => index + 11));
  });
});

describe("createTruncation", () => {
  const need = needOf(2_000, 1_000);
  const at = (border: number, dropsSummary: boolean, ...changes: readonly Change[]) =>
    createTruncation(startTentativeView(viewOf(answers, ...changes), need), { border, need, dropsSummary });

  test("covers only the messages after the summary if the summary stays", () => {
    expect(at(3, false, summarized(4))).toEqual({
      type: "truncate",
      coverage: { firstSeq: 5, lastSeq: 7, count: 3 },
      coveredTokens: 3 * ANSWER_TOKENS,
      keptRequests: [],
      readThroughSeq: 20,
      reason: "did not fit",
    });
  });

  test("covers the messages of a dropped summary and of the truncation after it", () => {
    expect(at(3, true, summarized(4), truncated(5, 9))).toMatchObject({
      coverage: { firstSeq: 1, lastSeq: 12, count: 12 },
      coveredTokens: 400 + 5 * 104 + 3 * ANSWER_TOKENS,
      dropsSummary: true,
    });
  });

  test("omits dropsSummary if the view has no summary", () => {
    expect(at(3, true)).not.toHaveProperty("dropsSummary");
  });

  test("covers only the summary's messages if the border is 0", () => {
    expect(at(0, true, summarized(4))).toMatchObject({ coverage: { firstSeq: 1, lastSeq: 4, count: 4 } });
  });
});

describe("findKeptRequests", () => {
  const { anExchange, aUserMessage, aRound } = messageBuilder();
  const rounds = ["a", "b"].flatMap((callId) => aRound([{ callId, output: "x" }]));
  const view = viewOf([...anExchange("One.", "1"), ...anExchange("Two.", "2"), aUserMessage("Three."), ...rounds]);
  const need = needOf(2_000, 1_000);

  test("returns the last two requests, if they are covered", () => {
    expect([2, 4, 5, 7].map((lastSeq) => findKeptRequests(view, { lastSeq, need }))).toEqual([[], [3], [3, 5], [3, 5]]);
  });

  test("returns no requests if the policy does not keep the open request", () => {
    const settings = { ...SETTINGS, keepOpenRequest: false };
    expect(findKeptRequests(view, { lastSeq: 7, need: { ...need, settings } })).toEqual([]);
  });
});
