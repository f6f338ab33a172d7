import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { codePoints } from "../../testing/generate-texts.ts";
import { fromStoredText, toStoredText } from "./stored-text.ts";

const anyText = fc.oneof(
  fc.string({ unit: codePoints(), maxLength: 20 }),
  fc
    .array(fc.constantFrom("\0", "\u001a", "0000", "001a", "d83d", "\ud83d", "\ude00", "a", "😀"), { maxLength: 12 })
    .map((pieces) => pieces.join("")),
);

describe("stored text", () => {
  test("ordinary text is stored unchanged", () => {
    for (const text of ["", "sess_17_ab12", "Größe 文件 😀", "a\nb\t\u0001"]) expect(toStoredText(text)).toBe(text);
  });

  test.each([
    ["a NUL", "a\0b", "a\u001a0000b"],
    ["a lone surrogate", "\ud83d!", "\u001ad83d!"],
    ["the escape character", "\u001a0000", "\u001a001a0000"],
  ])("%s is stored as an escape", (_, text, stored) => {
    expect(toStoredText(text)).toBe(stored);
    expect(fromStoredText(stored)).toBe(text);
  });

  test("every text is restored, and its stored form contains nothing that a database refuses", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = toStoredText(text);
        expect(stored.isWellFormed() && !stored.includes("\0")).toBe(true);
        expect(fromStoredText(stored)).toBe(text);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("two texts never share a stored form", () => {
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        expect(toStoredText(left) === toStoredText(right)).toBe(left === right);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
