import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import {
  ASSUMED_PRICES,
  convertToInputTokens,
  type GateInput,
  MAX_REQUESTS,
  weighCompaction,
} from "./economic-gate.ts";

/** 20,000 tokens become 1,000, and 5,000 tokens follow them. Ten requests were sent. */
const INPUT: GateInput = {
  removedTokens: 20_000,
  addedTokens: 1_000,
  keptTokens: 5_000,
  summarizerCost: 3_000,
  requestsSoFar: 10,
  limitTokens: 100_000,
  afterTokens: 40_000,
  meanGrowthTokens: 1_000,
  sinceRequestMs: 60_000,
  prices: { readRatio: 0.1, writeRatio: 1.25, ttlMs: 300_000 },
};
const weigh = (changes: Partial<GateInput> = {}) => weighCompaction({ ...INPUT, ...changes });
const COLD = 300_001;

describe("weighCompaction", () => {
  test("computes the gain with a warm cache as h(R−s)r − (K+s)(w−r) − C", () => {
    const { gain, isCold, acts, terms } = weigh();
    expect(terms.saved).toBeCloseTo(10 * 19_000 * 0.1);
    expect(terms.rewritten).toBeCloseTo(6_000 * 1.15);
    expect(gain).toBeCloseTo(19_000 - 6_900 - 3_000);
    expect({ isCold, acts }).toEqual({ isCold: false, acts: true });
  });

  test("computes the gain with a cold cache as (R−s)w + (h−1)(R−s)r − C", () => {
    const { gain, isCold, acts, terms } = weigh({ sinceRequestMs: COLD });
    expect(gain).toBeCloseTo(19_000 * 1.25 + 9 * 19_000 * 0.1 - 3_000);
    expect(terms.rewritten).toBe(0);
    expect({ isCold, acts }).toEqual({ isCold: true, acts: true });
  });

  test("returns every term of the gain", () => {
    const { terms, gain } = weigh();
    expect(terms).toMatchObject({
      removedTokens: 20_000,
      addedTokens: 1_000,
      keptTokens: 5_000,
      summarizerCost: 3_000,
    });
    expect(terms).toMatchObject({ readRatio: 0.1, writeRatio: 1.25, ttlMs: 300_000, idleMs: 60_000 });
    expect(terms.expectedRequests).toBe(10);
    expect(terms.saved - terms.rewritten - terms.summarizerCost).toBe(gain);
  });

  test("treats the cache as cold only after its time to live has passed", () => {
    expect(weigh({ sinceRequestMs: 300_000 }).isCold).toBe(false);
    expect(weigh({ sinceRequestMs: COLD }).isCold).toBe(true);
    expect(weigh({ sinceRequestMs: undefined }).isCold).toBe(true);
  });

  test("rejects a compaction whose gain is zero", () => {
    const nothing = { addedTokens: 0, keptTokens: 0, prices: { readRatio: 0.5, writeRatio: 1, ttlMs: 300_000 } };
    const even = { ...nothing, removedTokens: 1_000, requestsSoFar: 2 };
    expect(weigh({ ...even, summarizerCost: 1_000 })).toMatchObject({ gain: 0, acts: false });
    expect(weigh({ ...even, summarizerCost: 999 })).toMatchObject({ gain: 1, acts: true });
  });

  test("rejects a compaction that saves few tokens and rewrites many", () => {
    expect(weigh({ removedTokens: 400, addedTokens: 0, keptTokens: 30_000, summarizerCost: 0 }).acts).toBe(false);
  });

  test("uses assumed prices without a price card, and reports the assumption", () => {
    const { terms, assumed, gain } = weigh({ prices: undefined });
    expect(terms).toMatchObject({ readRatio: 0.1, writeRatio: 1.25, ttlMs: 5 * 60_000 });
    expect(assumed).toEqual([expect.stringMatching(/No price card.* 0\.1 .* 1\.25, .* 5 minutes/u)]);
    expect(gain).toBe(weigh({ prices: ASSUMED_PRICES }).gain);
    expect(weigh().assumed).toEqual([]);
  });
});

describe("the expected number of requests", () => {
  const expected = (changes: Partial<GateInput>) => weigh(changes).terms.expectedRequests;

  test("equals the number of requests so far", () => {
    expect(expected({ requestsSoFar: 59 })).toBe(59);
  });

  test("is at most the number of requests that fit below the limit", () => {
    expect(expected({ requestsSoFar: 61 })).toBe(60);
    expect(expected({ requestsSoFar: 61, afterTokens: 99_500 })).toBe(1);
    expect(expected({ requestsSoFar: 61, afterTokens: 97_500 })).toBe(2.5);
  });

  test("is between 1 and 200", () => {
    expect(expected({ requestsSoFar: 0 })).toBe(1);
    expect(expected({ afterTokens: 120_000 })).toBe(1);
    expect(expected({ requestsSoFar: 200, meanGrowthTokens: 1 })).toBe(200);
    expect(expected({ requestsSoFar: 201, meanGrowthTokens: 1 })).toBe(MAX_REQUESTS);
  });

  test("ignores the limit if the conversation does not grow", () => {
    expect(expected({ requestsSoFar: 30, meanGrowthTokens: 0 })).toBe(30);
    expect(expected({ requestsSoFar: 30, meanGrowthTokens: -5 })).toBe(30);
    expect(expected({ requestsSoFar: 30, meanGrowthTokens: 0, afterTokens: 100_000 })).toBe(30);
  });
});

describe("convertToInputTokens", () => {
  test("converts US dollars to input tokens", () => {
    expect(convertToInputTokens(0.03, 3)).toBeCloseTo(10_000);
    expect(convertToInputTokens(0, 3)).toBe(0);
  });

  test("returns 0 if input tokens are free", () => {
    expect(convertToInputTokens(0.03, 0)).toBe(0);
  });
});

const amounts = fc.integer({ min: 0, max: 1_000_000 });
const inputs: fc.Arbitrary<GateInput> = fc.record({
  removedTokens: amounts,
  addedTokens: amounts,
  keptTokens: amounts,
  summarizerCost: amounts,
  requestsSoFar: fc.integer({ min: 0, max: 500 }),
  limitTokens: amounts,
  afterTokens: amounts,
  meanGrowthTokens: fc.integer({ min: -100, max: 20_000 }),
  sinceRequestMs: fc.option(fc.integer({ min: 0, max: 600_000 }), { nil: undefined }),
  prices: fc.option(
    // Writing never costs less than reading, with any provider.
    fc
      .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 100, max: 200 }))
      .map(([read, write]) => ({ readRatio: read / 100, writeRatio: write / 100, ttlMs: 300_000 })),
    { nil: undefined },
  ),
});
const always = (check: (input: GateInput, more: number) => void): void =>
  fc.assert(fc.property(inputs, amounts, check), { numRuns: propertyRuns() });

/** Tolerance for rounding errors in sums of large products. */
const SLACK = 1e-3;

describe("weighCompaction, for any input", () => {
  test("returns a finite gain, and accepts the compaction only if the gain is positive", () => {
    always((input) => {
      const { gain, acts, terms } = weighCompaction(input);
      expect(Number.isFinite(gain)).toBe(true);
      expect(acts).toBe(gain > 0);
      expect(terms.expectedRequests).toBeGreaterThanOrEqual(1);
      expect(terms.expectedRequests).toBeLessThanOrEqual(MAX_REQUESTS);
    });
  });

  test("never lowers the gain if more tokens are removed", () => {
    always((input, more) => {
      const larger = weighCompaction({ ...input, removedTokens: input.removedTokens + more });
      expect(larger.gain).toBeGreaterThanOrEqual(weighCompaction(input).gain - SLACK);
    });
  });

  test("never raises the gain if more tokens are added or kept, or the summarizer costs more", () => {
    always((input, more) => {
      const { gain } = weighCompaction(input);
      for (const key of ["addedTokens", "keptTokens", "summarizerCost"] as const) {
        expect(weighCompaction({ ...input, [key]: input[key] + more }).gain).toBeLessThanOrEqual(gain + SLACK);
      }
    });
  });

  test("returns a gain that is (R+K)(w−r) larger with a cold cache than with a warm one", () => {
    always((input) => {
      const cold = weighCompaction({ ...input, sinceRequestMs: COLD });
      const warm = weighCompaction({ ...input, sinceRequestMs: 0 });
      if (warm.acts) expect(cold.acts).toBe(true);
      const { readRatio, writeRatio } = cold.terms;
      const difference = (input.removedTokens + input.keptTokens) * (writeRatio - readRatio);
      expect(Math.abs(cold.gain - warm.gain - difference)).toBeLessThan(SLACK);
    });
  });

  test("never accepts a compaction that makes the prompt larger", () => {
    always((input, more) => {
      expect(weighCompaction({ ...input, addedTokens: input.removedTokens + more }).acts).toBe(false);
    });
  });
});
