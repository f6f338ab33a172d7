import { describe, expect, test } from "vitest";
import { contentWords, termsOf } from "./words.ts";

describe("termsOf", () => {
  test("omits stop words, and maps irregular forms to their base word", () => {
    expect(termsOf("What do you think of the parser, and is it in the store?")).toEqual(["parser", "stor"]);
    expect(termsOf("What is the height of the Fence?")).toEqual(["high", "fenc"]);
  });

  test("splits at apostrophes, and drops parts that are stop words", () => {
    expect(termsOf("We've seen that Caroline's parser doesn’t stop")).toEqual(termsOf("saw Caroline parser stop"));
  });

  test("maps forms of one word to the same term", () => {
    for (const [one, other] of [
      ["file", "files"],
      ["test", "testing"],
      ["tested", "tests"],
      ["query", "queries"],
      ["store", "stored"],
      ["running", "runs"],
    ] as const) {
      expect(termsOf(one), one).toEqual(termsOf(other));
    }
  });

  test("splits scripts without spaces into Han characters and pairs, and omits function characters", () => {
    expect(termsOf("钥匙的盒")).toEqual(["钥", "匙", "盒", "钥匙"]);
    expect(termsOf("鍵はどこ")).toEqual(["鍵"]);
    expect(termsOf("番茄叶子")).toEqual(["番", "茄", "叶", "子", "番茄", "茄叶", "叶子"]);
    expect(termsOf("これはテストです")).toEqual(["テス", "スト"]);
    expect(termsOf("これはです")).toEqual([]);
    expect(termsOf("학교에서")).toEqual(["학교", "교에", "에서"]);
  });

  test("omits single letters, overlong words and punctuation", () => {
    expect(termsOf("a ".repeat(10))).toEqual([]);
    expect(termsOf("x".repeat(1_000))).toEqual([]);
    expect(termsOf("— … !")).toEqual([]);
  });
});

describe("contentWords", () => {
  test("keeps a path or a name with a hyphen as one word", () => {
    expect(contentWords("Open src/core/a.ts for order-12, and order-12 again")).toEqual([
      "open",
      "src/core/a.ts",
      "order-12",
    ]);
  });

  test("omits German stop words, and keeps English words that differ from them only in accents", () => {
    expect(contentWords("Der Umzug ist für Montag geplant")).toEqual(["umzug", "montag", "geplant"]);
    expect(contentWords("The fur of the cat")).toEqual(["fur", "cat"]);
  });
});
