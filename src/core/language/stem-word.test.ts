import { describe, expect, test } from "vitest";
import { foldWord, stemForm } from "./stem-word.ts";

describe("stemForm", () => {
  test.each([
    ["moves", "moved"],
    ["carries", "carried"],
    ["bought", "buy"],
    ["Children", "child"],
    ["stopped", "stops"],
    ["houses", "house"],
    ["Größe", "grosse"],
    ["inauguración", "INAUGURACION"],
    ["9,300", "9300"],
    ["7:42", "742"],
  ])("brings %s and %s together", (left, right) => {
    expect(stemForm(left)).toBe(stemForm(right));
  });

  test.each([
    ["glass", "glas"],
    ["bus", "bu"],
    ["sing", "s"],
    ["bring", "br"],
  ])("does not make %s into %s", (word, wrong) => {
    expect(stemForm(word)).not.toBe(wrong);
  });

  test("folds accents and apostrophes away", () => {
    expect(foldWord("Café’s")).toBe("cafes");
  });
});
