import { describe, expect, test } from "vitest";
import { findWordsIn } from "./find-words.ts";

describe("findWordsIn", () => {
  test("finds a one-letter word after many words that contain the letter", () => {
    expect(findWordsIn(`${"the ledger ".repeat(500)}\n- goal: e`).hasWords("e")).toBe(true);
    expect(findWordsIn("the ledger ".repeat(500)).hasWords("e")).toBe(false);
  });

  test("does not match the beginning of a longer word", () => {
    expect(findWordsIn("It is in src/a.tsx.").hasWords("src/a.ts")).toBe(false);
    expect(findWordsIn("It is in planning.").hasWords("plan")).toBe(false);
  });
});
