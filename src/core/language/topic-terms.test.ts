import { describe, expect, test } from "vitest";
import { termsOf } from "./topic-terms.ts";

describe("termsOf", () => {
  test("keeps the words that say what a text is about", () => {
    expect(termsOf("What do you think of the parser, and is it in the store?")).toEqual(["parser", "stor"]);
  });

  test("lets forms of one word meet", () => {
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

  test("takes scripts without spaces two characters at a time, without the grammar", () => {
    expect(termsOf("番茄叶子")).toEqual(["番茄", "茄叶", "叶子"]);
    expect(termsOf("これはテストです")).toContain("テス");
    expect(termsOf("これはです")).toEqual([]);
  });

  test("leaves out what is no word", () => {
    expect(termsOf("a ".repeat(10))).toEqual([]);
    expect(termsOf("x".repeat(1_000))).toEqual([]);
    expect(termsOf("12 — … !")).toEqual([]);
  });
});
