import { describe, expect, test } from "vitest";
import { findSubjectFields, relatedTerms } from "./thesaurus.ts";
import { termsOf } from "./words.ts";

const fieldsIn = (word: string): readonly number[] => termsOf(word).flatMap((term) => [...findSubjectFields(term)]);

describe("findSubjectFields", () => {
  test("returns a common subject field for related words", () => {
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

  test("returns no common field for unrelated words, and no field for an unknown word", () => {
    const [left, right] = ["kitten", "migration"].map(fieldsIn);
    expect(left?.some((field) => right?.includes(field))).toBe(false);
    expect(fieldsIn("Quastenflosser")).toEqual([]);
  });
});

test("relatedTerms gives a synonym a higher weight than a member of a category, and omits the term itself", () => {
  const [price = "", cost = "", colour = "", green = ""] = termsOf("price cost colour green");
  const [swap = 0, member = 1] = [relatedTerms(price).get(cost), relatedTerms(colour).get(green)];
  expect(swap).toBeGreaterThan(member);
  expect(relatedTerms(price).has(price)).toBe(false);
});
