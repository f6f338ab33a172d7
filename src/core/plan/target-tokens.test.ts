import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../policies/default-policy.ts";
import { targetTokensOf } from "./target-tokens.ts";

describe("targetTokensOf", () => {
  test.each([
    [4_000, 3_800],
    [8_000, 4_800],
    [40_000, 24_000],
    [100_000, 60_000],
  ])("of %i tokens %i: the share, and in a small prompt room for its summary and a tail", (limitTokens, expected) => {
    expect(targetTokensOf(DEFAULT_POLICY, limitTokens)).toBe(expected);
  });

  test("is the share alone where small prompts are treated like others", () => {
    const summary = { ...DEFAULT_POLICY.summary, smallTokens: 0 };
    expect(targetTokensOf({ ...DEFAULT_POLICY, summary }, 4_000)).toBe(2_400);
  });
});
