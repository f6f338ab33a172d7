import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { normalizeNumber, percentAsShare } from "./number-words.ts";

describe("normalizeNumber", () => {
  test.each([
    [["1,234", "1234", "1.234e3", "1_234", "1'234", "1\u202f234", "1.234k", "+1234", "01234"], "1234"],
    [["0.5", "0.50", ".5e0", "5e-1", "0,5"].filter((text) => !text.startsWith(".")), "0.5"],
    [["50%", "50 %", "50.0%", "5e1%"], "50%"],
    [["1,234,567.80", "1234567.8", "1.2345678M"], "1234567.8"],
    [["0", "000", "0.0", "-0"], "0"],
  ])("returns the same key for all of %j", (texts, key) => {
    expect(texts.map(normalizeNumber)).toEqual(texts.map(() => key));
  });

  test("returns different keys for a percentage and its number; percentAsShare converts a percentage", () => {
    expect(normalizeNumber("50%")).not.toBe(normalizeNumber("50"));
    expect(percentAsShare("50%")).toBe("0.5");
    expect(percentAsShare("12.5%")).toBe("0.125");
    expect(percentAsShare("50")).toBeUndefined();
  });

  test.each(["", "abc", "1.2.3", "12-13", "1,2,3", "1234,567", "9".repeat(200)])("returns undefined for %j", (text) => {
    expect(normalizeNumber(text)).toBeUndefined();
  });

  test("returns a unique key for each whole number, with or without separators", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.bigInt({ min: 0n, max: 10n ** 30n }), (left, right) => {
        expect(normalizeNumber(left.toLocaleString("en"))).toBe(String(left));
        expect(normalizeNumber(String(left)) === normalizeNumber(String(right))).toBe(left === right);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
