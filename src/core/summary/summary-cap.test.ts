import { describe, expect, test } from "vitest";
import { summaryCap } from "./summary-cap.ts";

describe("summaryCap", () => {
  test.each([
    [2_000, 400],
    [12_000, 2_400],
    [16_000, 2_800],
    [40_000, 5_200],
    [100_000, 8_000],
  ])("a fifth of the first 12,000 tokens of %i and a tenth of the rest, at most 8,000: %i", (limitTokens, expected) => {
    expect(summaryCap({ maxTokens: 8_000, ratio: 0.2 }, limitTokens)).toBe(expected);
  });

  test("a share of 1 leaves only the number", () => {
    expect(summaryCap({ maxTokens: 500, ratio: 1 }, 100_000)).toBe(500);
    expect(summaryCap({ maxTokens: Number.MAX_SAFE_INTEGER, ratio: 1 }, 100_000)).toBe(100_000);
  });
});
