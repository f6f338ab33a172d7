import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { texts } from "../../testing/generate-texts.ts";
import { hugeTexts } from "../../testing/hostile-texts.ts";
import { batchTexts, PIECE_CHARACTERS, textPieces } from "./text-pieces.ts";

describe("textPieces", () => {
  test("returns a short text as one piece", () => {
    const text = "word ".repeat(1_500);
    expect([...textPieces(text)]).toEqual([text]);
    expect([...textPieces("")]).toEqual([""]);
  });

  test.each(hugeTexts())("splits $name into well-formed pieces within the limit, without losing text", ({ build }) => {
    const text = build();
    const pieces = [...textPieces(text)];
    expect(pieces.join("") === text).toBe(true);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(PIECE_CHARACTERS);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  test("prefers to cut after a line, then a sentence, then a word, then a punctuation mark", () => {
    const endsOf = (unit: string) => {
      const pieces = [...textPieces(unit.repeat(4_000))];
      expect(pieces.length).toBeGreaterThan(2);
      return new Set(pieces.slice(0, -1).map((piece) => piece.slice(-2)));
    };
    expect(endsOf("one. two words\n")).toEqual(new Set(["s\n"]));
    expect(endsOf("one two. three ")).toEqual(new Set([". "]));
    expect([...endsOf("one two three ")].every((end) => end.endsWith(" "))).toBe(true);
    expect([...endsOf("one{two}three,")].every((end) => /[{},]$/.test(end))).toBe(true);
  });

  test("never splits a private key", () => {
    const key = `-----BEGIN TEST PRIVATE KEY-----\n${"QUJD\n".repeat(300)}-----END TEST PRIVATE KEY-----\n`;
    for (const before of [15_000, 15_900, 16_300]) {
      const text = `${"word\n".repeat(before / 5)}${key}${"word\n".repeat(5_000)}`;
      expect([...textPieces(text)].some((piece) => piece.includes(key))).toBe(true);
    }
  });
});

describe("batchTexts", () => {
  test("joins short texts with line breaks, and keeps every line", () => {
    fc.assert(
      fc.property(fc.array(texts({ longestCharacters: 40_000 })), (all) => {
        const batches = [...batchTexts(all)];
        expect(batches.join("").replaceAll("\n", "")).toBe(all.join("").replaceAll("\n", ""));
        for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(PIECE_CHARACTERS + 1);
      }),
      { numRuns: propertyRuns() },
    );
    expect([...batchTexts(["a", "b"])]).toEqual(["a\nb"]);
  });
});
