import { describe, expect, test } from "vitest";
import { termsOf } from "./topic-terms.ts";
import { fieldsOf } from "./word-fields.ts";

describe("fieldsOf", () => {
  test("brings together words that share no letter", () => {
    for (const [one, other] of [
      ["kitten", "dogs"],
      ["platform", "trains"],
      ["raining", "umbrella"],
      ["violin", "singer"],
      ["database", "migration"],
    ] as const) {
      const [left, right] = [one, other].map((word) => termsOf(word).flatMap(fieldsOf));
      expect(
        left?.some((field) => right?.includes(field)),
        `${one} ${other}`,
      ).toBe(true);
    }
  });

  test("keeps apart what has nothing to do with each other, and knows nothing of most words", () => {
    const [left, right] = ["kitten", "migration"].map((word) => termsOf(word).flatMap(fieldsOf));
    expect(left?.some((field) => right?.includes(field))).toBe(false);
    expect(termsOf("Quastenflosser").flatMap(fieldsOf)).toEqual([]);
  });
});
