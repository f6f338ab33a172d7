import { describe, expect, test } from "vitest";
import { summaryCap } from "./trim-summary.ts";

describe("summaryCap", () => {
  test.each([
    [2_000, 400],
    [12_000, 2_400],
    [16_000, 2_800],
    [40_000, 5_200],
    [100_000, 8_000],
  ])(
    "returns a fifth of the first 12,000 tokens and a tenth of the rest, at most 8,000: %i tokens give %i",
    (limitTokens, expected) => {
      expect(summaryCap({ maxTokens: 8_000, ratio: 0.2, smallTokens: 0 }, limitTokens)).toBe(expected);
    },
  );

  test.each([
    [1_000, 750],
    [4_000, 3_000],
    [12_000, 3_000],
    [18_000, 3_000],
    [20_000, 3_200],
    [40_000, 5_200],
  ])("returns at least 3,000, or three quarters of a smaller prompt: %i tokens give %i", (limitTokens, expected) => {
    expect(summaryCap({ maxTokens: 8_000, ratio: 0.2, smallTokens: 3_000 }, limitTokens)).toBe(expected);
  });

  test("returns maxTokens, or the size of a smaller prompt, if the ratio is 1", () => {
    const limits = { ratio: 1, smallTokens: 0 };
    expect(summaryCap({ ...limits, maxTokens: 500 }, 100_000)).toBe(500);
    expect(summaryCap({ ...limits, maxTokens: Number.MAX_SAFE_INTEGER }, 100_000)).toBe(100_000);
  });
});
