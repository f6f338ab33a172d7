import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { prose, texts } from "../../testing/generate-texts.ts";
import { propertyRuns } from "../../testing/property-runs.ts";
import { findInText } from "./find-in-text.ts";

const matchOf = (text: string, query: string): string | undefined => {
  const found = findInText(text, query);
  return found?.snippet.slice(found.matchStart, found.matchStart + found.matchLength);
};

describe("findInText", () => {
  test.each([
    ["the plain case", "The Launch Code", "launch", "Launch"],
    ["letters beyond ASCII", "Größe und Übermut", "ÜBERMUT", "Übermut"],
    ["Greek, whose sigma depends on its place", "ΟΔΟΣΑΝ", "ΟΔΟΣ", "ΟΔΟΣ"],
    ["a final sigma", "ΟΔΟΣ", "οδος", "ΟΔΟΣ"],
    ["Cyrillic", "Привет, мир", "ПРИВЕТ", "Привет"],
    ["letters that grow in lower case", "İstanbul and Ankara", "ankara", "Ankara"],
    ["characters of two units beside them", "İ 𐐀𐐁", "𐐀", "𐐀"],
    ["emoji", "well done 🙂", "🙂", "🙂"],
    ["Chinese", "请看这个文件", "文件", "文件"],
  ])("finds %s, whatever the case", (_, text, query, match) => {
    expect(matchOf(text, query)).toBe(match);
  });

  test.each([["%"], ["_"], ["'"], ['"'], ["\\"], ["*"], ["[a-z]"], [".*"], ["$1"], ["(?"], ["OR 1=1 --"]])(
    "takes %s for text and not for a pattern",
    (query) => {
      expect(matchOf(`before ${query} after`, query)).toBe(query);
      expect(findInText("nothing of the kind", query)).toBeUndefined();
    },
  );

  test.each([[""], [" "], ["\n\t"], ["\u00a0"]])("finds nothing for the blank query %j", (query) => {
    expect(findInText("some text with  blanks \n\t", query)).toBeUndefined();
  });

  test("leaves out blanks around the query", () => {
    expect(matchOf("the launch code", "  launch ")).toBe("launch");
  });

  test("cuts a snippet around the match and says where it stands", () => {
    const text = `${"a".repeat(500)} needle ${"b".repeat(500)}`;
    const found = findInText(text, "needle");
    expect(found?.snippet.length).toBeLessThanOrEqual(2 * 60 + "needle".length);
    expect(found).toMatchObject({ matchStart: 60, matchLength: 6 });
  });

  test("finds the first of several", () => {
    expect(findInText("one two one", "one")).toMatchObject({ matchStart: 0 });
  });

  test("finds every piece of a text, in any case", () => {
    fc.assert(
      fc.property(fc.oneof(prose(), texts({ longestCharacters: 200 })), fc.nat(), fc.nat(), (text, from, length) => {
        const characters = [...text];
        const start = from % (characters.length + 1);
        const piece = characters
          .slice(start, start + 1 + (length % 12))
          .join("")
          .trim();
        if (piece === "") return;
        const match = matchOf(text, piece);
        expect(match?.length).toBe(piece.length);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("shows a piece of the text that holds what was asked for", () => {
    fc.assert(
      fc.property(
        texts({ longestCharacters: 400 }),
        fc.constantFrom("the", "E", "文", "a ", "%", "1"),
        (text, query) => {
          const found = findInText(text, query);
          if (found === undefined) {
            expect(text.includes(query.trim())).toBe(false);
            return;
          }
          expect(text).toContain(found.snippet);
          expect(matchOf(text, query)?.length).toBe(query.trim().length);
        },
      ),
      { numRuns: propertyRuns() },
    );
  });
});
