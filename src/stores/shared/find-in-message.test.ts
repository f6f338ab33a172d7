import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { readSearchedText } from "../../core/message/search-text.ts";
import { rankText, splitQuery } from "./find-in-message.ts";

const rank = (text: string, words: readonly string[]) => rankText(readSearchedText(text), words);

describe("splitQuery", () => {
  test.each([
    [{ text: " Rocket  launch\n" }, ["rocket  launch"]],
    [{ text: " Rocket  launch\n", order: "newest" }, ["rocket  launch"]],
    [{ text: " Rocket  launch\nROCKET", order: "relevance" }, ["rocket", "launch"]],
    [{ text: "a AND b*", order: "relevance" }, ["a", "and", "b*"]],
    [{ text: " \n", order: "relevance" }, []],
  ])("splits %j into words only if results are ordered by relevance", (query, words) => {
    expect(splitQuery(query)).toEqual(words);
  });

  test("keeps the first sixteen words", () => {
    const text = Array.from({ length: 40 }, (_, index) => `w${index}`).join(" ");
    expect(splitQuery({ text, order: "relevance" })).toEqual(text.split(" ").slice(0, 16));
  });
});

describe("rankText", () => {
  const words = fc.uniqueArray(fc.constantFrom("rocket", "launch", "文件", "a"), { minLength: 1 });

  test("a text that lacks a word gets no score", () => {
    expect(rank("Rocket and rocket", ["rocket", "launch"])).toBeUndefined();
  });

  test("the score grows with each repetition and falls with the length of the text", () => {
    fc.assert(
      fc.property(words, fc.nat(20), fc.nat(50), (wanted, repeats, filler) => {
        const content = ` ${wanted.join(" ")}`.repeat(1 + repeats);
        const score = rank(content + " .".repeat(filler), wanted) ?? 0;
        const replaced = rank(content + " .".repeat(filler).slice(1), wanted) ?? 0;
        expect(replaced).toBeGreaterThanOrEqual(score);
        expect(rank(`${content} ..........${" .".repeat(filler)}`, wanted)).toBeLessThan(score);
        expect(score).toBeGreaterThan(0);
        expect(score).toBeLessThan(wanted.length);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("a word that occurs twice scores higher than one that occurs once", () => {
    const [once, twice] = ["rocket one two six", "rocket one rocket"].map((text) => rank(text, ["rocket"]) ?? 0);
    expect(twice).toBeGreaterThan(once ?? 1);
  });

  test("the score counts a surrogate pair as one character", () => {
    expect(rank(`rocket${"😀".repeat(10)}`, ["rocket"])).toBe(rank(`rocket${"x".repeat(10)}`, ["rocket"]));
  });
});
