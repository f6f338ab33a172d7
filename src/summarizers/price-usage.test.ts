import { describe, expect, test } from "vitest";
import { addUsage, priceExpected, RATIO_PRICES } from "./price-usage.ts";

describe("addUsage", () => {
  test("adds the reported figures and omits the others", () => {
    const sum = addUsage({ inputTokens: 1, cacheReadTokens: 5 }, { inputTokens: 2, outputTokens: 3 });
    expect(sum).toEqual({ inputTokens: 3, outputTokens: 3, cacheReadTokens: 5 });
    expect(addUsage(undefined, { inputTokens: 2 })).toEqual({ inputTokens: 2 });
    expect(addUsage(undefined, undefined)).toBeUndefined();
  });
});

test("without a price card, ten cached tokens cost as much as one uncached token", () => {
  const cached = priceExpected({ cachedTokens: 10, inputTokens: 0, outputTokens: 50 }, RATIO_PRICES);
  expect(cached).toBe(priceExpected({ inputTokens: 1, outputTokens: 0 }, RATIO_PRICES));
});
