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
  ])("returns the same stem for %s and %s", (left, right) => {
    expect(stemForm(left)).toBe(stemForm(right));
  });

  test.each([
    ["glass", "glas"],
    ["bus", "bu"],
    ["sing", "s"],
    ["bring", "br"],
  ])("does not stem %s to %s", (word, wrong) => {
    expect(stemForm(word)).not.toBe(wrong);
  });

  test("foldWord removes accents and apostrophes", () => {
    expect(foldWord("Café’s")).toBe("cafes");
  });
});
