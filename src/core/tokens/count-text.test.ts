import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { shows } from "../../testing/shows.ts";
import { countText, countTextInSteps, STEP_WORK } from "./count-text.ts";
import type { Counter } from "./counter.ts";
import { estimate } from "./estimate.ts";
import { charsOverFour, wordEstimate } from "./rough-counters.ts";

/** A counter without a tally, like a tokenizer, that records the windows it counts. */
function aWindowCounter(countWindow: (text: string) => number): Counter & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    id: "test@1",
    exact: false,
    messageOverheadTokens: 0,
    seen,
    countWindow(text) {
      seen.push(text);
      return countWindow(text);
    },
  };
}

const byWords = (text: string): number => text.split(" ").length;

const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .tuple(fc.constantFrom("a", " ", "界", "word ", "\ud83d"), fc.nat(60_000))
        .map(([unit, times]) => unit.repeat(times)),
    ),
    { maxLength: 4 },
  )
  .map((pieces) => pieces.join(""));

describe("countText", () => {
  test("returns the same count in steps and at once", () => {
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom(charsOverFour, wordEstimate, estimate, aWindowCounter(byWords)),
        (text, counter) => {
          const steps = countTextInSteps(text, counter);
          let step = steps.next();
          while (step.done !== true) step = steps.next();
          expect(step.value).toBe(countText(text, counter));
        },
      ),
      { numRuns: propertyRuns() },
    );
  });

  test(shows("S3-23", "counts four characters as a token if the counter throws, for that window only"), () => {
    const counter = aWindowCounter((text) => {
      if (text.includes("<|endoftext|>")) throw new Error("disallowed special token");
      return 1;
    });
    const plain = "word ".repeat(1_000);
    const special = `<|endoftext|>${" ".repeat(7)}`;
    const windows = aWindowCounter(() => 1);
    countText(plain + special, windows);
    const failing = windows.seen.filter((text) => text.includes("<|endoftext|>"));
    const expected = windows.seen.length - failing.length + Math.ceil((failing[0]?.length ?? 0) / 4);
    expect(failing).toHaveLength(1);
    expect(countText(plain + special, counter)).toBe(expected);
  });

  test(shows("S3-23", "counts four characters as a token if a tally throws or a counter returns NaN"), () => {
    const broken: Counter = {
      ...charsOverFour,
      startTally: () => ({
        add() {
          throw new RangeError("broken");
        },
        tokens: () => 0,
      }),
    };
    expect(countText("123456789", broken)).toBe(3);
    expect(
      countText(
        "123456789",
        aWindowCounter(() => Number.NaN),
      ),
    ).toBe(3);
  });

  test("passes long runs of letters, spaces and emoji to the counter in windows of at most 512 characters", () => {
    for (const text of ["a".repeat(1_000_000), " ".repeat(1_000_000), "😀".repeat(100_000)]) {
      const counter = aWindowCounter((window) => window.length);
      expect(countText(text, counter)).toBe(text.length);
      expect(Math.max(...counter.seen.map((window) => window.length))).toBeLessThanOrEqual(512);
    }
  });

  test("limits the work of each step, for any text", () => {
    const hostile = {
      letters: { text: "a".repeat(1_000_000), most: STEP_WORK / 6 },
      base64: { text: "k3J+dGVz".repeat(125_000), most: STEP_WORK / 6 },
      chinese: { text: "語言模型".repeat(25_000), most: STEP_WORK / 24 },
      prose: { text: "some words ".repeat(50_000), most: STEP_WORK },
    };
    for (const { text, most } of Object.values(hostile)) {
      const counter = aWindowCounter(() => 1);
      const steps = countTextInSteps(text, counter);
      let counted = 0;
      for (let step = steps.next(); step.done !== true; step = steps.next()) {
        const inStep = counter.seen.slice(counted).reduce((sum, window) => sum + window.length, 0);
        expect(inStep).toBeLessThanOrEqual(most);
        expect(inStep).toBeGreaterThan(0);
        counted = counter.seen.length;
      }
    }
  });

  test("passes pieces of limited size to a tally", () => {
    const sizes: number[] = [];
    const counter: Counter = {
      ...charsOverFour,
      startTally: () => ({ add: (piece) => void sizes.push(piece.length), tokens: () => 0 }),
    };
    countText("x".repeat(100_000), counter);
    expect(sizes).toEqual([STEP_WORK, STEP_WORK, STEP_WORK, 100_000 - 3 * STEP_WORK]);
  });
});
