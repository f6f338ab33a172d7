import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RATIO } from "../../../../test/support/core-values.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { shows } from "../../../testing/shows.ts";
import { updateArmed } from "./check-trigger.ts";
import type { RatioTrigger } from "./trigger.ts";

interface Now {
  readonly ratio: number;
  readonly since?: number | undefined;
  readonly hasCompacted?: boolean | undefined;
  readonly trigger?: RatioTrigger | undefined;
}

function armedAfter(armed: boolean, { ratio, since, hasCompacted = false, trigger = RATIO }: Now): boolean {
  const promptTokens = Math.round(ratio * 1_000);
  const sizes = { promptTokens, conversationTokens: promptTokens, windowTokens: 1_000, budgetTokens: 900 };
  const facts = { ...sizes, limitTokens: 950, messagesSinceCompaction: since };
  return updateArmed({ armed }, { trigger, facts, hasCompacted }).armed;
}

describe("updateArmed", () => {
  test("disarms after a compaction that leaves the prompt above the reset ratio", () => {
    expect(armedAfter(true, { ratio: 0.75, since: 0, hasCompacted: true })).toBe(false);
  });

  test("stays armed after a compaction that makes the prompt smaller than the reset ratio", () => {
    expect(armedAfter(true, { ratio: 0.3, since: 0, hasCompacted: true })).toBe(true);
  });

  test(shows("S4-92", "arms again only below the reset ratio"), () => {
    expect(armedAfter(false, { ratio: 0.7, since: 1 })).toBe(false);
    expect(armedAfter(false, { ratio: 0.699, since: 1 })).toBe(true);
  });

  test(shows("S4-92", "arms again after cooldownMessages messages"), () => {
    expect(armedAfter(false, { ratio: 0.9, since: 3 })).toBe(false);
    expect(armedAfter(false, { ratio: 0.9, since: 4 })).toBe(true);
  });

  test("arms again after rearmAfterMessages messages, but not before the cooldown", () => {
    const slow = { ...RATIO, rearmAfterMessages: 20 };
    expect(armedAfter(false, { ratio: 0.9, since: 19, trigger: slow })).toBe(false);
    expect(armedAfter(false, { ratio: 0.9, since: 20, trigger: slow })).toBe(true);
    const hasty = { ...RATIO, rearmAfterMessages: 1 };
    expect(armedAfter(false, { ratio: 0.9, since: 3, trigger: hasty })).toBe(false);
  });

  test("stays armed until a compaction", () => {
    expect(armedAfter(true, { ratio: 0.95, since: 1 })).toBe(true);
  });

  test("returns the same state for the same facts a second time", () => {
    fc.assert(
      fc.property(fc.boolean(), fc.double({ min: 0, max: 2, noNaN: true }), fc.nat(30), (armed, ratio, since) => {
        const once = armedAfter(armed, { ratio, since });
        expect(armedAfter(once, { ratio, since })).toBe(once);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
