import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../test/support/growth.ts";
import { hugeTexts } from "../../testing/hostile-texts.ts";
import { isNumberWord, readSpokenNumberAt, type SpokenNumber } from "./number-words.ts";

/** Returns all spoken numbers of a text, in order. */
function findSpokenNumbers(text: string): readonly SpokenNumber[] {
  const found: SpokenNumber[] = [];
  let end = 0;
  for (const { index, 0: word } of text.matchAll(/[A-Za-z]+/g)) {
    if (index < end || !isNumberWord(word.toLowerCase())) continue;
    const spoken = readSpokenNumberAt(text, index);
    if (spoken === undefined) continue;
    found.push(spoken);
    end = spoken.end;
  }
  return found;
}

const read = (text: string): readonly string[] => findSpokenNumbers(text).flatMap(({ keys }) => keys);

describe("readSpokenNumberAt", () => {
  test.each([
    ["twenty five", "25"],
    ["forty - five minutes", "45"],
    ["thirty-one", "31"],
    ["five hundred", "500"],
    ["a hundred and fifty", "150"],
    ["one hundred and twenty three thousand four hundred fifty six", "123456"],
    ["one million two hundred thousand", "1200000"],
    ["two thousand and one", "2001"],
    ["nineteen ninety nine", "1999"],
    ["twelve and a half euros", "12.5"],
    ["twelve fifty", "12.5"],
    ["two point five million", "2500000"],
    ["one point seven five", "1.75"],
    ["five to six million", "5000000"],
    ["three and a half thousand", "3500"],
    ["two dozen", "24"],
    ["three quarters of them", "75%"],
    ["half of them", "50%"],
    ["seventy percent", "70%"],
    ["call four one five oh", "4150"],
    ["the twenty-fifth", "25"],
  ])("reads %j as %s, among other readings", (text, expected) => {
    expect(read(text)).toContain(expected);
  });

  test.each([
    ["twenty five", ["20", "5"]],
    ["fifteen to thirty five", ["1535", "15.35"]],
    ["someone oneself tenant", ["1", "10"]],
  ])("does not read %j as any of %j", (text, unexpected) => {
    for (const key of unexpected) expect(read(text)).not.toContain(key);
  });

  test("returns the start and end of each number in the text", () => {
    const text = "We need Twenty-Five of them, or three hundred.";
    expect(findSpokenNumbers(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      "Twenty-Five",
      "three hundred",
    ]);
  });

  test.each(hugeTexts())("reads $name in linear time", async ({ build }) => {
    const cost = (text: string) => cpuMsOf(() => findSpokenNumbers(text));
    expect(await growthOf(build(), cost)).toBeLessThan(LINEAR_GROWTH);
  });
});
