import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { prose, texts } from "../../testing/generate-texts.ts";
import { findInText, findOriginal, normalizeText, readSearchedText } from "./search-text.ts";

/** Every character except most of the large ranges whose characters all behave the same. */
const EVERY_CHARACTER = Array.from({ length: 0x30000 }, (_, code) => code)
  .filter((code) => !((code > 0x3400 && code < 0xa000) || (code > 0xac40 && code < 0xe000)))
  .filter((code) => code < 0x16ff0 || (code > 0x1bc00 && code < 0x20000) || code > 0x2f7ff)
  .map((code) => String.fromCodePoint(code));

/** Generates texts with many combining marks and parts of syllables. */
const markedTexts = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..."aEiIİıßẞſKÅΣςǰﬁ가각각कि़か゚ガ🙂"),
    fc.integer({ min: 0x300, max: 0x36f }).map((code) => String.fromCodePoint(code)),
    fc.integer({ min: 0x80, max: 0x2fff }).map((code) => String.fromCodePoint(code)),
  ),
  maxLength: 30,
});
const anything = fc.oneof(markedTexts, texts({ longestCharacters: 300 }));

const findIn = (text: string, query: string) => findInText(readSearchedText(text), query);

describe("normalizeText", () => {
  test("returns the same text for every canonical form of a character", () => {
    const differing = EVERY_CHARACTER.filter((character) => {
      const normal = normalizeText(character);
      return [character.normalize("NFD"), character.normalize("NFC"), normal].some(
        (form) => normalizeText(form) !== normal,
      );
    });
    expect(differing).toEqual([]);
  });

  test("returns the same text for canonically equal texts", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const normal = normalizeText(text);
        expect(normalizeText(text.normalize("NFD"))).toBe(normal);
        expect(normalizeText(text.normalize("NFC"))).toBe(normal);
        expect(normalizeText(normal)).toBe(normal);
        expect(normal.isWellFormed()).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("findOriginal", () => {
  test("returns a span of whole characters that contains the match", () => {
    fc.assert(
      fc.property(anything, fc.nat(), fc.nat(), (text, from, length) => {
        const normal = normalizeText(text);
        const characters = [...normal];
        const at = from % (characters.length + 1);
        const start = characters.slice(0, at).join("").length;
        const end = start + characters.slice(at, at + 1 + (length % 5)).join("").length;
        if (end === start) return;
        const original = findOriginal(readSearchedText(text), { start, end });
        const before = normalizeText(text.slice(0, original.start));
        const found = normalizeText(text.slice(original.start, original.end));
        expect(before + found + normalizeText(text.slice(original.end))).toBe(normal);
        expect(before.length).toBeLessThanOrEqual(start);
        expect(before.length + found.length).toBeGreaterThanOrEqual(end);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

const matchOf = (text: string, query: string): string | undefined => {
  const found = findIn(text, query);
  return found?.snippet.slice(found.matchStart, found.matchStart + found.matchLength);
};

describe("findInText", () => {
  test.each([
    ["ASCII letters", "The Launch Code", "launch", "Launch"],
    ["letters outside ASCII", "Größe und Übermut", "ÜBERMUT", "Übermut"],
    ["Greek with a sigma inside a word", "ΟΔΟΣΑΝ", "ΟΔΟΣ", "ΟΔΟΣ"],
    ["a final sigma", "ΟΔΟΣ", "οδος", "ΟΔΟΣ"],
    ["Cyrillic", "Привет, мир", "ПРИВЕТ", "Привет"],
    ["text after a letter that is longer in lower case", "İstanbul and Ankara", "ankara", "Ankara"],
    ["a surrogate pair after a capital İ", "İ 𐐀𐐁", "𐐀", "𐐀"],
    ["emoji", "well done 🙂", "🙂", "🙂"],
    ["Chinese", "请看这个文件", "文件", "文件"],
    ["a composed letter by a decomposed one", "Der CAFÉ-Besuch", "cafe\u0301", "CAFÉ"],
    ["a decomposed letter by a composed one", "Der CAFE\u0301-Besuch", "café", "CAFE\u0301"],
    ["marks in another order", "q\u0307\u0323 it", "q\u0323\u0307", "q\u0307\u0323"],
    ["decomposed Korean", "네, 한글!".normalize("NFD"), "한글", "한글".normalize("NFD")],
    ["a capital İ by its decomposed form", "in İZMİR", "i\u0307zmi\u0307r", "İZMİR"],
    ["text after characters that normalization shortens", "é\u0301 e\u0301e\u0301 NOW", "now", "NOW"],
    ["a sharp s in both cases", "die STRAẞE", "straße", "STRAẞE"],
  ])("finds %s, ignoring case", (_, text, query, match) => {
    expect(matchOf(text, query)).toBe(match);
  });

  test.each([["%"], ["_"], ["'"], ['"'], ["\\"], ["*"], ["[a-z]"], [".*"], ["$1"], ["(?"], ["OR 1=1 --"]])(
    "treats %s as plain text, not as a pattern",
    (query) => {
      expect(matchOf(`before ${query} after`, query)).toBe(query);
      expect(findIn("nothing of the kind", query)).toBeUndefined();
    },
  );

  test.each([[""], [" "], ["\n\t"], ["\u00a0"]])("finds nothing for the blank query %j", (query) => {
    expect(findIn("some text with  blanks \n\t", query)).toBeUndefined();
  });

  test("ignores white space around the query", () => {
    expect(matchOf("the launch code", "  launch ")).toBe("launch");
  });

  test("returns a snippet around the match, with the position of the match", () => {
    const text = `${"a".repeat(500)} needle ${"b".repeat(500)}`;
    const found = findIn(text, "needle");
    expect(found?.snippet.length).toBeLessThanOrEqual(2 * 60 + "needle".length);
    expect(found).toMatchObject({ matchStart: 60, matchLength: 6 });
  });

  test.each([
    ["an accented letter for a plain one", "café", "cafe"],
    ["a decomposed accented letter for a plain one", "cafe\u0301", "cafe"],
    ["a sharp s for ss", "straße", "strasse"],
    ["a dotted İ for an i and a dotless ı", "İ", "i\u0131"],
  ])("does not find %s", (_, text, query) => {
    expect(findIn(text, query)).toBeUndefined();
  });

  test("never splits a surrogate pair", () => {
    for (let shift = 0; shift < 4; shift += 1) {
      const snippet = findIn(
        `${"🙂".repeat(50)}${"x".repeat(shift)}needle${"y".repeat(shift)}${"🙂".repeat(50)}`,
        "needle",
      );
      expect(snippet?.snippet.isWellFormed()).toBe(true);
      expect(snippet?.snippet.length).toBeGreaterThan(115);
    }
  });

  test("returns the first of several matches", () => {
    expect(findIn("one two one", "one")).toMatchObject({ matchStart: 0 });
  });

  test("finds every piece of a text, in any case and any normal form", () => {
    const forms = fc.constantFrom("NFC", "NFD", undefined);
    const pieces = fc.record({ from: fc.nat(), length: fc.nat(), form: forms });
    fc.assert(
      fc.property(fc.oneof(prose(), texts({ longestCharacters: 200 })), pieces, (text, { from, length, form }) => {
        const characters = text.match(/.[\p{M}\u1160-\u11ff]*/gsu) ?? [];
        const start = from % (characters.length + 1);
        const piece = characters
          .slice(start, start + 1 + (length % 12))
          .join("")
          .trim();
        if (piece === "") return;
        const match = matchOf(text, form === undefined ? piece : piece.normalize(form)) ?? "";
        expect(normalizeText(match)).toBe(normalizeText(piece));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns a snippet that is a part of the text and contains the match", () => {
    fc.assert(
      fc.property(
        texts({ longestCharacters: 400 }),
        fc.constantFrom("the", "E", "文", "a ", "%", "1"),
        (text, query) => {
          const found = findIn(text, query);
          if (found === undefined) {
            expect(normalizeText(text).includes(normalizeText(query.trim()))).toBe(false);
            return;
          }
          expect(text).toContain(found.snippet);
          expect(normalizeText(matchOf(text, query) ?? "")).toContain(normalizeText(query.trim()));
        },
      ),
      { numRuns: propertyRuns() },
    );
  });
});
