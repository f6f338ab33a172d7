import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../testing/property-runs.ts";
import { chooseReserve } from "./choose-reserve.ts";

describe("chooseReserve", () => {
  test("holds back a long answer, less in a small window, and no more than the model can say", () => {
    expect(chooseReserve({ windowTokens: 200_000, maxOutputTokens: 64_000 })).toBe(8_192);
    expect(chooseReserve({ windowTokens: 8_192, maxOutputTokens: 8_192 })).toBe(1_638);
    expect(chooseReserve({ windowTokens: 128_000, maxOutputTokens: 4_096 })).toBe(4_096);
  });

  test("holds back what the provider does not take as input", () => {
    expect(chooseReserve({ windowTokens: 400_000, maxInputTokens: 272_000, maxOutputTokens: 128_000 })).toBe(128_000);
  });

  test("always leaves a prompt that the provider takes", () => {
    const sizes = fc.integer({ min: 1, max: 2_000_000 });
    fc.assert(
      fc.property(sizes, sizes, sizes, (windowTokens, maxInputTokens, maxOutputTokens) => {
        const left = windowTokens - chooseReserve({ windowTokens, maxInputTokens, maxOutputTokens });
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThanOrEqual(Math.min(windowTokens, maxInputTokens));
      }),
      { numRuns: propertyRuns() },
    );
  });
});
