import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countByCharacters, viewOf } from "../../../test/support/core-values.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { DEFAULT_POLICY } from "../../policies/default-policy.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import { findViewFloorSeq } from "../log/head.ts";
import type { View } from "../log/view.ts";
import { startAssembly } from "../prompt/assemble-prompt.ts";
import { countPart } from "../tokens/count-message.ts";
import { charsOverFour } from "../tokens/rough-counters.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { dropInEmergency, findFoldableBorders } from "./drop-oldest.ts";
import { startTentativeView, type TentativeView } from "./tentative-view.ts";

const count = countByCharacters;

const needOf = (targetTokens: number): CompactionNeed => ({
  urgency: "soft",
  maySummarize: false,
  limitTokens: 1_000_000,
  targetTokens,
  settings: DEFAULT_POLICY,
  reason: "no compaction came",
  measure: (view) => startAssembly(view, count).tokens,
  uncalibrate: (tokens) => tokens,
  count,
  countPart: (part) => countPart(part, charsOverFour),
  *countAhead() {
    yield undefined;
  },
  describeFloor: () => [],
});

const drop = (view: View, targetTokens: number): TentativeView | undefined => {
  const need = needOf(targetTokens);
  return dropInEmergency(startTentativeView(view, need), need);
};

const { anExchange, aUserMessage, aRound, anAssistantMessage } = messageBuilder();
const words = "a".repeat(396);

describe("dropInEmergency", () => {
  const talk = viewOf(Array.from({ length: 10 }, () => anExchange(words, words)).flat());

  test("drops as few whole turns as the target requires", () => {
    const dropped = drop(talk, 1_000);
    expect(dropped?.tokens).toBeLessThanOrEqual(1_000);
    expect(dropped?.tokens).toBeGreaterThan(1_000 - 2 * 104);
    expect(dropped?.view.messages[0]?.message.role).toBe("user");
    expect(dropped?.changes.map(({ type }) => type)).toEqual(["truncate"]);
  });

  test("keeps the last two requests even if the target is 0", () => {
    const dropped = drop(talk, 0);
    const shown = [...(dropped?.view.kept ?? []), ...(dropped?.view.messages ?? [])].map(({ seq }) => seq);
    expect(shown).toEqual(expect.arrayContaining([17, 19, 20]));
  });

  test("drops rounds of the last turns only if dropping whole turns is not enough", () => {
    const rounds = Array.from({ length: 10 }, (_, index) => aRound([{ callId: `c${index}`, output: words }]));
    const view = viewOf([
      ...anExchange(words, words),
      aUserMessage("Read it all."),
      ...rounds.flat(),
      anAssistantMessage("Done."),
    ]);
    const dropped = drop(view, 700);
    expect(dropped?.tokens).toBeLessThanOrEqual(700);
    expect(dropped?.view.kept.map(({ seq }) => seq)).toContain(3);
    expect(dropped?.view.messages[0]?.message.role).toBe("assistant");
  });

  test("returns undefined if nothing may be dropped", () => {
    expect(drop(viewOf([]), 0)).toBeUndefined();
    expect(drop(viewOf([aUserMessage(words)]), 0)).toBeUndefined();
  });

  test("never splits a round or makes the view larger", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 6 }), fc.nat({ max: 1_500 }), (history, targetTokens) => {
        const view = viewOf(history.map((message, index) => ({ ...message, id: `m${index}` })));
        const start = startTentativeView(view, needOf(targetTokens));
        const dropped = drop(view, targetTokens);
        if (dropped === undefined) return;
        expect(dropped.tokens).toBeLessThan(start.tokens);
        const floor = findViewFloorSeq(dropped.view.head);
        const border = view.messages.findIndex(({ seq }) => seq > floor);
        expect(findFoldableBorders(start)).toContain(border);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
