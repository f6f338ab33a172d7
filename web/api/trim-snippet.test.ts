import { describe, expect, test } from "vitest";
import { trimAfter, trimBefore } from "./trim-snippet.ts";

const words = "and the third crate stands beside the second one in the shed ";

describe("a snippet", () => {
  test("begins and ends with a whole word where it was cut, and says so", () => {
    expect(trimBefore(`rate ${words}`)).toBe(`…${words}`);
    expect(trimAfter(` ${words}crat`)).toBe(` ${words.trimEnd()}…`);
  });

  test("is left as it is where the message begins or ends", () => {
    expect(trimBefore("And the ")).toBe("And the ");
    expect(trimAfter(" stands.")).toBe(" stands.");
  });

  test("keeps a word that is longer than a reader would miss", () => {
    const long = "x".repeat(60);
    expect(trimBefore(long)).toBe(`…${long}`);
    expect(trimAfter(long)).toBe(`${long}…`);
  });
});
