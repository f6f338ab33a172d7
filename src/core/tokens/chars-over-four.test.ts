import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../testing/property-runs.ts";
import { shows } from "../../testing/shows.ts";
import { charsOverFour } from "./chars-over-four.ts";
import { countText } from "./count-text.ts";

describe("charsOverFour", () => {
  test(shows("S1-11", "takes four characters for a token and rounds up"), () => {
    expect(countText("", charsOverFour)).toBe(0);
    expect(countText("abcd", charsOverFour)).toBe(1);
    expect(countText("abcde", charsOverFour)).toBe(2);
  });

  test("rounds once for a whole text, however long it is", () => {
    fc.assert(
      fc.property(fc.nat(200_000), (length) => {
        expect(countText("x".repeat(length), charsOverFour)).toBe(Math.ceil(length / 4));
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});
