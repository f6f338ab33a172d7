import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../testing/builders.ts";
import { propertyRuns } from "../../testing/property-runs.ts";
import { countByCharacters, viewOf } from "../../testing/view-of.ts";
import { viewFloorSeq } from "../log/head.ts";
import { reviseView, type View } from "../log/view.ts";
import type { Message } from "../message/message.ts";
import { startAssembly } from "../prompt/assemble-prompt.ts";
import { charsOverFour } from "../tokens/chars-over-four.ts";
import { countPart } from "../tokens/count-message.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { dropOldest, findWishedTail } from "./drop-oldest.ts";
import { roundBorders } from "./find-tail.ts";
import { type Change, foldChanges } from "./proposal.ts";
import { startTentative, type Tentative } from "./tentative.ts";

const count = countByCharacters;

const needOf = (
  limitTokens: number,
  targetTokens: number,
  tail: CompactionNeed["settings"]["tail"] = {},
): CompactionNeed => ({
  limitTokens,
  targetTokens,
  settings: {
    enabled: true,
    triggerRatio: 0.8,
    targetRatio: 0.6,
    tail,
    prune: { minimumTokens: 50, exemptTools: [] },
    pinRatio: 0.25,
  },
  reason: "did not fit",
  measure: (view) => startAssembly(view, count).tokens,
  count,
  countPart: (part) => countPart(part, charsOverFour),
  *countAhead() {
    yield undefined;
  },
  describeFloor: () => [],
});

/** Answers of an assistant, so that no request has to be kept. */
const answersOf = (characters: readonly number[]): readonly Message[] => {
  const { anAssistantMessage } = messageBuilder();
  return characters.map((length) => anAssistantMessage("a".repeat(length)));
};
const floorOf = ({ view }: Tentative): number => viewFloorSeq(view.head);

describe("dropOldest", () => {
  const view = viewOf(answersOf(Array(20).fill(396)));

  test("drops the fewest of the oldest rounds that reach the target", () => {
    const need = needOf(2_000, 1_000);
    const dropped = dropOldest(startTentative(view, need), need);
    expect(dropped.tokens).toBeLessThanOrEqual(1_000);
    expect(dropped.tokens).toBeGreaterThan(1_000 - 104);
  });

  test("leaves room for the next turns where the target cannot be reached", () => {
    const need = needOf(2_000, 10);
    const dropped = dropOldest(startTentative(view, need), need);
    const least = dropOldest(startTentative(view, need), needOf(0, 0)).tokens;
    expect(dropped.tokens).toBeLessThanOrEqual((least + 2_000) / 2);
    expect(dropped.tokens).toBeGreaterThan((least + 2_000) / 2 - 104);
  });

  test("never gives up the newest round", () => {
    const need = needOf(1, 1);
    expect(floorOf(dropOldest(startTentative(view, need), need))).toBe(19);
  });

  test("changes nothing where dropping saves nothing", () => {
    const need = needOf(1, 1);
    for (const short of [viewOf([]), viewOf(answersOf([400])), viewOf(answersOf([1, 4]))]) {
      const start = startTentative(short, need);
      expect(dropOldest(start, need)).toBe(start);
    }
  });

  test("finds the same place as trying every border in turn", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 2, maxLength: 40 }),
        fc.double({ min: 0.02, max: 0.98, noNaN: true }),
        (lengths, share) => {
          const whole = viewOf(answersOf(lengths));
          const start = startTentative(whole, needOf(0, 0));
          const need = needOf(start.tokens, Math.floor(start.tokens * share));
          const sizes = roundBorders(whole.messages)
            .slice(1, -1)
            .map((border) => ({ border, tokens: need.measure(dropBefore(whole, border)) }));
          const first = sizes.find(({ tokens }) => tokens <= need.targetTokens && tokens < start.tokens);
          const found = dropOldest(start, need);
          if (first !== undefined) expect([floorOf(found), found.tokens]).toEqual([first.border, first.tokens]);
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });
});

function dropBefore(view: View, border: number): View {
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

describe("findWishedTail", () => {
  const start = (need: CompactionNeed) => startTentative(viewOf(answersOf(Array(20).fill(384))), need);

  test("takes the larger of the tokens and of the share of the limit that a policy wishes for", () => {
    expect(findWishedTail(start(needOf(1_000, 600, { tokens: 200 })), needOf(1_000, 600, { tokens: 200 }))).toBe(18);
    const both = needOf(1_000, 600, { tokens: 200, ratio: 0.5 });
    expect(findWishedTail(start(both), both)).toBe(15);
  });

  test("takes the most inclusive of all measures", () => {
    const need = needOf(1_000, 600, { messages: 12, ratio: 0.5, rounds: 3 });
    expect(findWishedTail(start(need), need)).toBe(8);
  });
});
