import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../testing/property-runs.ts";
import { rankText, wordsOf } from "./rank-text.ts";

describe("wordsOf", () => {
  test.each([
    [{ text: " Rocket  launch\n" }, ["rocket  launch"]],
    [{ text: " Rocket  launch\n", order: "newest" }, ["rocket  launch"]],
    [{ text: " Rocket  launch\nROCKET", order: "relevance" }, ["rocket", "launch"]],
    [{ text: "a AND b*", order: "relevance" }, ["a", "and", "b*"]],
    [{ text: " \n", order: "relevance" }, []],
  ])("takes %j apart as its order says", (query, words) => {
    expect(wordsOf(query)).toEqual(words);
  });

  test("counts the first sixteen of a longer query", () => {
    const text = Array.from({ length: 40 }, (_, index) => `w${index}`).join(" ");
    expect(wordsOf({ text, order: "relevance" })).toEqual(text.split(" ").slice(0, 16));
  });
});

describe("rankText", () => {
  const words = fc.uniqueArray(fc.constantFrom("rocket", "launch", "文件", "a"), { minLength: 1 });

  test("gives nothing to a text that lacks a word", () => {
    expect(rankText("Rocket and rocket", ["rocket", "launch"])).toBeUndefined();
  });

  test("is greater for a text that says them once more, and smaller for one that says more besides", () => {
    fc.assert(
      fc.property(words, fc.nat(20), fc.nat(50), (wanted, repeats, filler) => {
        const said = ` ${wanted.join(" ")}`.repeat(1 + repeats);
        const score = rankText(said + " .".repeat(filler), wanted) ?? 0;
        const replaced = rankText(said + " .".repeat(filler).slice(1), wanted) ?? 0;
        expect(replaced).toBeGreaterThanOrEqual(score);
        expect(rankText(`${said} ..........${" .".repeat(filler)}`, wanted)).toBeLessThan(score);
        expect(score).toBeGreaterThan(0);
        expect(score).toBeLessThan(wanted.length);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("weighs words that are said more often", () => {
    const [once, twice] = ["rocket one two six", "rocket one rocket"].map((text) => rankText(text, ["rocket"]) ?? 0);
    expect(twice).toBeGreaterThan(once ?? 1);
  });

  test("counts characters and not halves of them", () => {
    expect(rankText(`rocket${"😀".repeat(10)}`, ["rocket"])).toBe(rankText(`rocket${"x".repeat(10)}`, ["rocket"]));
  });
});
