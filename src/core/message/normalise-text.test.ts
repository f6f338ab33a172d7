import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { texts } from "../../testing/generate-texts.ts";
import { propertyRuns } from "../../testing/property-runs.ts";
import { findOriginal, normaliseText } from "./normalise-text.ts";

/** Every character there is, except most of those that are numbered through and all alike. */
const EVERY_CHARACTER = Array.from({ length: 0x30000 }, (_, code) => code)
  .filter((code) => !((code > 0x3400 && code < 0xa000) || (code > 0xac40 && code < 0xe000)))
  .filter((code) => code < 0x16ff0 || (code > 0x1bc00 && code < 0x20000) || code > 0x2f7ff)
  .map((code) => String.fromCodePoint(code));

/** Marks, pieces of syllables and what they stand on, as thick as nobody writes them. */
const thick = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..."aEiIİıßẞſKÅΣςǰﬁ가각각कि़か゚ガ🙂"),
    fc.integer({ min: 0x300, max: 0x36f }).map((code) => String.fromCodePoint(code)),
    fc.integer({ min: 0x80, max: 0x2fff }).map((code) => String.fromCodePoint(code)),
  ),
  maxLength: 30,
});
const anything = fc.oneof(thick, texts({ longestCharacters: 300 }));

describe("normaliseText", () => {
  test("takes every character and its canonical forms for one, and changes nothing when it is done again", () => {
    const differing = EVERY_CHARACTER.filter((character) => {
      const normal = normaliseText(character);
      return [character.normalize("NFD"), character.normalize("NFC"), normal].some(
        (form) => normaliseText(form) !== normal,
      );
    });
    expect(differing).toEqual([]);
  });

  test("takes canonically equal texts for one", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const normal = normaliseText(text);
        expect(normaliseText(text.normalize("NFD"))).toBe(normal);
        expect(normaliseText(text.normalize("NFC"))).toBe(normal);
        expect(normaliseText(normal)).toBe(normal);
        expect(normal.isWellFormed()).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("findOriginal", () => {
  test("names a stretch that normalises to what was asked for, and whole characters around it", () => {
    fc.assert(
      fc.property(anything, fc.nat(), fc.nat(), (text, from, length) => {
        const normal = normaliseText(text);
        const characters = [...normal];
        const at = from % (characters.length + 1);
        const start = characters.slice(0, at).join("").length;
        const end = start + characters.slice(at, at + 1 + (length % 5)).join("").length;
        if (end === start) return;
        const original = findOriginal(text, { start, end });
        const before = normaliseText(text.slice(0, original.start));
        const found = normaliseText(text.slice(original.start, original.end));
        expect(before + found + normaliseText(text.slice(original.end))).toBe(normal);
        expect(before.length).toBeLessThanOrEqual(start);
        expect(before.length + found.length).toBeGreaterThanOrEqual(end);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
