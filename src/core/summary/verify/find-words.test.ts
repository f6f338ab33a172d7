import { describe, expect, test } from "vitest";
import { createWordFinder } from "./find-words.ts";

describe("createWordFinder", () => {
  test("finds a one-letter word after many words that contain the letter", () => {
    expect(createWordFinder(`${"the ledger ".repeat(500)}\n- goal: e`).hasWords("e")).toBe(true);
    expect(createWordFinder("the ledger ".repeat(500)).hasWords("e")).toBe(false);
  });

  test("does not match the beginning of a longer word", () => {
    expect(createWordFinder("It is in src/a.tsx.").hasWords("src/a.ts")).toBe(false);
    expect(createWordFinder("It is in planning.").hasWords("plan")).toBe(false);
  });
});
