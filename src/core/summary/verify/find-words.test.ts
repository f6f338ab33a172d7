import { describe, expect, test } from "vitest";
import { findWordsIn } from "./find-words.ts";

describe("findWordsIn", () => {
  test("finds a word of one letter behind any number of words that have it in them", () => {
    expect(findWordsIn(`${"the ledger ".repeat(500)}\n- goal: e`).hasWords("e")).toBe(true);
    expect(findWordsIn("the ledger ".repeat(500)).hasWords("e")).toBe(false);
  });

  test("does not take the beginning of a word for the word", () => {
    expect(findWordsIn("It is in src/a.tsx.").hasWords("src/a.ts")).toBe(false);
    expect(findWordsIn("It is in planning.").hasWords("plan")).toBe(false);
  });
});
