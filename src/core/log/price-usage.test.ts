import { describe, expect, test } from "vitest";
import { priceUsage } from "./price-usage.ts";

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
