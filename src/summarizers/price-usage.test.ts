import { describe, expect, test } from "vitest";
import { addUsage, priceExpected, priceUsage, RATIO_PRICES } from "./price-usage.ts";

const prices = { input: 2, output: 8, cacheRead: 0.2, cacheWrite: 2.5 };

describe("priceUsage", () => {
  test("takes what was cached out of the input and prices it apart", () => {
    const usage = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 600, cacheWriteTokens: 300 };
    expect(priceUsage(usage, { prices })).toBeCloseTo((100 * 2 + 600 * 0.2 + 300 * 2.5 + 100 * 8) / 1e6, 12);
  });

  test("recognises a provider that leaves cached tokens out of the input", () => {
    const usage = { inputTokens: 100, outputTokens: 0, cacheReadTokens: 600 };
    expect(priceUsage(usage, { prices })).toBeCloseTo((100 * 2 + 600 * 0.2) / 1e6, 12);
  });

  test("knows no price where usage or prices are unknown", () => {
    expect(priceUsage(undefined, { prices })).toBeUndefined();
    expect(priceUsage({ inputTokens: 1 }, {})).toBeUndefined();
  });
});

describe("addUsage", () => {
  test("adds figure by figure, and invents none", () => {
    const sum = addUsage({ inputTokens: 1, cacheReadTokens: 5 }, { inputTokens: 2, outputTokens: 3 });
    expect(sum).toEqual({ inputTokens: 3, outputTokens: 3, cacheReadTokens: 5 });
    expect(addUsage(undefined, { inputTokens: 2 })).toEqual({ inputTokens: 2 });
    expect(addUsage(undefined, undefined)).toBeUndefined();
  });
});

test("without a price card ten cached tokens cost what one fresh token does", () => {
  const cached = priceExpected({ cachedTokens: 10, inputTokens: 0, outputTokens: 50 }, RATIO_PRICES);
  expect(cached).toBe(priceExpected({ inputTokens: 1, outputTokens: 0 }, RATIO_PRICES));
});
