import { describe, expect, test } from "vitest";
import { foldWord, stemWord } from "./stem-word.ts";
import { piecesOf, termsOfPiece } from "./word-terms.ts";

describe("stemWord", () => {
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
    expect(stemWord(left)).toBe(stemWord(right));
  });

  test.each([
    ["glass", "glas"],
    ["bus", "bu"],
    ["sing", "s"],
  ])("does not make %s into %s", (word, wrong) => {
    expect(stemWord(word)).not.toBe(wrong);
  });

  test("folds accents and apostrophes away", () => {
    expect(foldWord("Café’s")).toBe("cafes");
  });
});

describe("terms", () => {
  test("leave out words that say nothing", () => {
    expect(piecesOf("What is the height of the Fence?").flatMap(termsOfPiece)).toEqual(["high", "fenc"]);
  });

  test("of scripts without spaces are characters and pairs that are not grammar", () => {
    expect(termsOfPiece("钥匙的盒")).toEqual(["钥", "匙", "盒", "钥匙"]);
    expect(termsOfPiece("鍵はどこ")).toEqual(["鍵"]);
  });
});
