import { describe, expect, test } from "vitest";
import { fieldsOf, relatedTerms } from "./thesaurus.ts";
import { termsOf } from "./words.ts";

const fieldsIn = (word: string): readonly number[] => termsOf(word).flatMap((term) => [...fieldsOf(term)]);

describe("fieldsOf", () => {
  test("brings together words that share no letter", () => {
    for (const [one, other] of [
      ["kitten", "dogs"],
      ["platform", "trains"],
      ["raining", "umbrella"],
      ["violin", "singer"],
      ["database", "migration"],
    ] as const) {
      const [left, right] = [one, other].map(fieldsIn);
      expect(
        left?.some((field) => right?.includes(field)),
        `${one} ${other}`,
      ).toBe(true);
    }
  });

  test("keeps apart words of different fields, and returns none for a word in no field", () => {
    const [left, right] = ["kitten", "migration"].map(fieldsIn);
    expect(left?.some((field) => right?.includes(field))).toBe(false);
    expect(fieldsIn("Quastenflosser")).toEqual([]);
  });
});

test("relatedTerms weighs another word for the same above a member of the kind, and leaves out the term", () => {
  const [price = "", cost = "", colour = "", green = ""] = termsOf("price cost colour green");
  const [swap = 0, member = 1] = [relatedTerms(price).get(cost), relatedTerms(colour).get(green)];
  expect(swap).toBeGreaterThan(member);
  expect(relatedTerms(price).has(price)).toBe(false);
});
