import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { shows } from "../../testing/shows.ts";
import {
  chooseReserve,
  computeBudget,
  computeHistoryTokens,
  computeInputLimit,
  computeMeter,
  computeThreshold,
} from "./budget.ts";

const tokens = fc.nat(2_000_000);
const parts = fc.record({
  windowTokens: tokens,
  reserveTokens: tokens,
  instructionsTokens: tokens,
  toolsTokens: tokens,
});

describe("computeBudget", () => {
  test("subtracts reserve, instructions and tools from the window", () => {
    const budget = computeBudget({
      windowTokens: 128_000,
      reserveTokens: 8_192,
      instructionsTokens: 1_000,
      toolsTokens: 3_000,
    });
    expect(budget.budgetTokens).toBe(128_000 - 8_192 - 1_000 - 3_000);
  });

  test("uses the provider's input limit if it is lower", () => {
    const parts = { windowTokens: 400_000, reserveTokens: 4_000, instructionsTokens: 1_000, toolsTokens: 1_000 };
    expect(computeBudget({ ...parts, maxInputTokens: 272_000 }).budgetTokens).toBe(270_000);
    expect(computeBudget(parts).budgetTokens).toBe(394_000);
  });

  test("returns the tokens that the other parts leave in the window, or 0 if they leave none", () => {
    fc.assert(
      fc.property(parts, (given) => {
        const { budgetTokens } = computeBudget(given);
        expect(budgetTokens).toBeGreaterThanOrEqual(0);
        const taken = given.reserveTokens + given.instructionsTokens + given.toolsTokens;
        expect(budgetTokens === 0 || budgetTokens + taken === given.windowTokens).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("computeMeter", () => {
  test("returns the share of the window and of the budget that is used", () => {
    const budget = computeBudget({
      windowTokens: 10_000,
      reserveTokens: 2_000,
      instructionsTokens: 1_000,
      toolsTokens: 1_000,
    });
    expect(computeMeter(budget, 3_000)).toEqual({
      promptTokens: 5_000,
      shareOfWindow: 0.5,
      conversationTokens: 3_000,
      shareOfBudget: 0.5,
    });
  });

  test("returns finite shares for every budget, including 0", () => {
    fc.assert(
      fc.property(parts, tokens, (given, conversation) => {
        const meter = computeMeter(computeBudget(given), conversation);
        expect(Number.isFinite(meter.shareOfWindow) && Number.isFinite(meter.shareOfBudget)).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("computeThreshold", () => {
  test("returns three quarters of the window's whole thousands, and of the window itself below 1,000", () => {
    expect(computeThreshold(8_000)).toBe(6_000);
    expect(computeThreshold(8_192)).toBe(6_000);
    expect(computeThreshold(16_385)).toBe(12_000);
    expect(computeThreshold(32_768)).toBe(24_000);
    expect(computeThreshold(128_000)).toBe(96_000);
    expect(computeThreshold(500)).toBe(375);
  });
});

describe("computeHistoryTokens", () => {
  test(shows("S3-25", "returns a sixteenth of the input limit, rounded down"), () => {
    expect(computeHistoryTokens(128_000)).toBe(8_000);
    expect(computeHistoryTokens(1_000_001)).toBe(62_500);
    expect(computeHistoryTokens(computeInputLimit({ windowTokens: 400_000, maxInputTokens: 272_000 }))).toBe(17_000);
    expect(computeHistoryTokens(computeInputLimit({ windowTokens: 200_000 }))).toBe(12_500);
  });
});

describe("chooseReserve", () => {
  test("reserves 8,192 tokens, less in a small window, and at most the model's output limit", () => {
    expect(chooseReserve({ windowTokens: 200_000, maxOutputTokens: 64_000 })).toBe(8_192);
    expect(chooseReserve({ windowTokens: 8_192, maxOutputTokens: 8_192 })).toBe(1_638);
    expect(chooseReserve({ windowTokens: 128_000, maxOutputTokens: 4_096 })).toBe(4_096);
  });

  test("reserves at least the tokens that the provider does not accept as input", () => {
    expect(chooseReserve({ windowTokens: 400_000, maxInputTokens: 272_000, maxOutputTokens: 128_000 })).toBe(128_000);
  });

  test("always leaves room for a prompt within the input limit", () => {
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
