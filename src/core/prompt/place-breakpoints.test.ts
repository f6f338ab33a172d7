import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { shows } from "../../testing/shows.ts";
import { MAX_BREAKPOINTS, placeBreakpoints, SYSTEM_END, type TierEnd } from "./place-breakpoints.ts";

const TIERS = ["L0", "L1", "L2", "L3"] as const;
const ends = (...tokens: readonly number[]): readonly TierEnd[] =>
  tokens.map((size, index) => ({
    tier: TIERS[index] ?? "L3",
    index: index === 0 ? SYSTEM_END : index * 10,
    tokens: size,
  }));

describe("placeBreakpoints", () => {
  test("places one breakpoint at the last durable message, and three at tiers", () => {
    const options = { minimumTokens: 1_000, lastDurable: 50 };
    expect(placeBreakpoints(ends(2_000, 3_000, 4_000), options)).toEqual([SYSTEM_END, 10, 20, 50]);
  });

  test("skips the smallest of the first three tiers if there are four", () => {
    const options = { minimumTokens: 1_000, lastDurable: 50 };
    expect(placeBreakpoints(ends(9_000, 2_000, 4_000, 1_500), options)).toEqual([SYSTEM_END, 20, 30, 50]);
  });

  test("merges a tier below the minimum into the next one", () => {
    const options = { minimumTokens: 1_000, lastDurable: undefined };
    expect(placeBreakpoints(ends(500, 400, 300, 5_000), options)).toEqual([20, 30]);
    expect(placeBreakpoints(ends(500, 400), options)).toEqual([]);
  });

  test(shows("C-16", "with isOnePerTier, each filled tier whose prefix reaches the minimum has a breakpoint"), () => {
    const options = { minimumTokens: 0, lastDurable: 50, isOnePerTier: true };
    expect(placeBreakpoints(ends(10, 0, 10, 10), options)).toEqual([SYSTEM_END, 20, 30]);
    expect(placeBreakpoints(ends(10, 10, 10, 10), options)).toEqual([SYSTEM_END, 10, 20, 30]);
    expect(placeBreakpoints(ends(10, 10, 10, 10), { ...options, minimumTokens: 25 })).toEqual([20, 30]);
  });

  test("places at most four distinct breakpoints, in ascending order", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 4 });
    fc.assert(
      fc.property(
        sizes,
        fc.nat(3_000),
        fc.option(fc.integer({ min: 31, max: 60 }), { nil: undefined }),
        (tokens, least, last) => {
          const placed = placeBreakpoints(ends(...tokens), { minimumTokens: least, lastDurable: last });
          expect(placed.length).toBeLessThanOrEqual(MAX_BREAKPOINTS);
          expect(placed).toEqual([...new Set(placed)].toSorted((left, right) => left - right));
          expect(last === undefined || placed.includes(last)).toBe(true);
        },
      ),
      { numRuns: propertyRuns() },
    );
  });
});
