import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { shows } from "../../testing/shows.ts";
import { countText } from "./count-text.ts";
import { charsOverFour, wordEstimate } from "./rough-counters.ts";

/** The formula in the document of the preset. */
const documented = (text: string): number => Math.ceil(text.split(/\s+/).length * 1.3);

const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(" ", "  ", "\n\t", "\u00a0", "\u3000", "\ufeff", "word", "a b"),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""));

describe("wordEstimate", () => {
  test(
    shows("S1-10", "counts 1.3 tokens per word, with one word more for an empty text and for blanks at either end"),
    () => {
      expect(countText("", wordEstimate)).toBe(2);
      expect(countText("one two three", wordEstimate)).toBe(4);
      expect(countText(" one ", wordEstimate)).toBe(4);
    },
  );

  test(shows("S1-10", "equals the documented formula for every text"), () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(countText(text, wordEstimate)).toBe(documented(text));
        expect(wordEstimate.countWindow(text)).toBe(documented(text));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("equals the documented formula for a long text, even if a run of blanks is cut in two", () => {
    const long = `${"w".repeat(32_767)}  ${"x ".repeat(40_000)}`;
    expect(countText(long, wordEstimate)).toBe(documented(long));
  });
});

describe("charsOverFour", () => {
  test(shows("S1-11", "counts four characters as a token and rounds up"), () => {
    expect(countText("", charsOverFour)).toBe(0);
    expect(countText("abcd", charsOverFour)).toBe(1);
    expect(countText("abcde", charsOverFour)).toBe(2);
  });

  test("rounds only once for a long text", () => {
    fc.assert(
      fc.property(fc.nat(200_000), (length) => {
        expect(countText("x".repeat(length), charsOverFour)).toBe(Math.ceil(length / 4));
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});
