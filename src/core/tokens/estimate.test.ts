import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { countText } from "./count-text.ts";
import { estimate } from "./estimate.ts";

const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 30 }),
      fc.string({ unit: "grapheme-ascii", maxLength: 60 }),
      fc.base64String({ maxLength: 80 }),
      fc.constantFrom(
        "don't",
        "camelCase",
        "HTTPServer",
        "  \n\n\t",
        "語言模型",
        "😀",
        "://",
        "=====",
        "_private",
        "12345",
      ),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(""));

function inPieces(text: string, cuts: readonly number[]): number {
  const tally = estimate.startTally?.();
  if (tally === undefined) return Number.NaN;
  const borders = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((left, right) => left - right);
  let start = 0;
  for (const border of [...borders, text.length]) {
    tally.add(text.slice(start, border));
    // Reading the count must not change the tally.
    tally.tokens();
    start = border;
  }
  return tally.tokens();
}

describe("estimate", () => {
  test("returns the same count however the text is split into pieces", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
        expect(inPieces(text, cuts)).toBe(estimate.countWindow(text));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns 0 for an empty text, and at least 1 for any other text", () => {
    expect(countText("", estimate)).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
        expect(countText(text, estimate)).toBeGreaterThan(0);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("never counts more than four tokens per character", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(countText(text, estimate)).toBeLessThanOrEqual(4 * text.length + 1);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("counts a space with the word after it, and digits in groups of three", () => {
    const perPiece = (piece: string): number => countText(piece.repeat(1_000), estimate) / 1_000;
    expect(perPiece(" word")).toBeCloseTo(1, 1);
    expect(perPiece("123456789012 ")).toBeCloseTo(5, 0);
  });

  test("counts more tokens for encoded bytes than for words of the same length", () => {
    const words = "implementation of configuration";
    const bytes = "aW1wBGx3Zm50YXR9b24Kb2YgQ29uZm8";
    expect(bytes).toHaveLength(words.length);
    expect(countText(bytes, estimate)).toBeGreaterThan(3 * countText(words, estimate));
  });

  test("counts more tokens for rare Chinese characters than for common ones", () => {
    const common = "我们在上周的会议上说了这个事情";
    const rare = "龘靐齉爩鱻麤龗灪吁籲龖厵纞虋驫";
    expect(rare).toHaveLength(common.length);
    expect(countText(rare, estimate)).toBeGreaterThan(2 * countText(common, estimate));
  });

  test("counts a megabyte of one letter as more than 125,000 tokens, and of spaces as more than 7,800", () => {
    expect(countText("a".repeat(1_000_000), estimate)).toBeGreaterThan(125_000);
    expect(countText(" ".repeat(1_000_000), estimate)).toBeGreaterThan(7_800);
  });
});
