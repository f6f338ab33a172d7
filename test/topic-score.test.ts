/** The scores of `bench topics`, on dialogues small enough to count by hand. */
import { describe, expect, test } from "vitest";
import { scoreSegmentations } from "../bench/topics/superdialseg-score.ts";

describe("scoreSegmentations", () => {
  test("returns 1 if every boundary is found and no other", () => {
    const { score, f1, pk, windowDiff, density } = scoreSegmentations([{ turns: 8, starts: [4], found: [4] }]);
    expect([score, f1, pk, windowDiff, density]).toEqual([1, 1, 0, 0, 1]);
  });

  test("counts windows that disagree: eight turns in two segments, windows of two", () => {
    // The true boundary is between turns 3 and 4. Of the 7 windows, those that begin at turns 2 and 3 cross it.
    const { score, f1, pk, windowDiff } = scoreSegmentations([{ turns: 8, starts: [4], found: [] }]);
    expect(f1).toBe(0);
    expect(pk).toBeCloseTo(2 / 7);
    expect(windowDiff).toBeCloseTo(2 / 7);
    expect(score).toBeCloseTo(0.5 * (1 - 2 / 7));
  });

  test("gives a near miss partial credit in Pk, but none in F1", () => {
    const { f1, pk } = scoreSegmentations([{ turns: 8, starts: [4], found: [5] }]);
    expect(f1).toBe(0);
    expect(pk).toBeCloseTo(2 / 7);
  });

  test("counts how many boundaries differ in WindowDiff, and only whether any differ in Pk", () => {
    const { f1, pk, windowDiff } = scoreSegmentations([{ turns: 8, starts: [4], found: [4, 5] }]);
    expect(f1).toBeCloseTo(2 / 3);
    expect(pk).toBeCloseTo(1 / 7);
    expect(windowDiff).toBeCloseTo(2 / 7);
  });

  test("averages over dialogues of any length, and returns 0 if nothing is found", () => {
    const { f1, density } = scoreSegmentations([
      { turns: 4, starts: [2], found: [2] },
      { turns: 400, starts: [100, 200], found: [] },
      { turns: 5, starts: [], found: [] },
    ]);
    expect(f1).toBeCloseTo(1 / 3);
    expect(density).toBeCloseTo(1 / 3);
  });
});
