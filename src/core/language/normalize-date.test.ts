import { describe, expect, test } from "vitest";
import { coarserDates, dateOfInstant, findDates } from "./normalize-date.ts";

/** Returns the keys of a text that is one date and nothing else. */
function normalizeDate(text: string): readonly string[] {
  const found = findDates(text.trim());
  const [only] = found;
  return found.length === 1 && only?.start === 0 && only.end === text.trim().length ? only.keys : [];
}

describe("findDates", () => {
  test.each(["2024-05-03", "2024/5/3", "2024.05.03", "3 May 2024", "3rd of May, 2024", "May 3, 2024", "2024年5月3日"])(
    "reads %s as 3 May 2024",
    (text) => {
      expect(normalizeDate(text)).toEqual(["2024-05-03"]);
    },
  );

  test("returns two keys if day and month can be swapped", () => {
    expect(normalizeDate("03/05/2024")).toEqual(["2024-05-03", "2024-03-05"]);
    expect(normalizeDate("23/05/2024")).toEqual(["2024-05-23"]);
  });

  test("reads months without a day, and days without a year", () => {
    expect([normalizeDate("May 2024"), normalizeDate("2024-05"), normalizeDate("May 3rd")]).toEqual([
      ["2024-05"],
      ["2024-05"],
      ["--05-03"],
    ]);
    expect(coarserDates("2024-05-03")).toEqual(["2024-05", "--05-03"]);
    expect(coarserDates("2024-05")).toEqual([]);
  });

  test.each(["2024-13-01", "32 May 2024", "2024-00", "1.2.3", "soon", "12/2024x"])("finds no date in %s", (text) => {
    expect(normalizeDate(text)).toEqual([]);
  });

  test("returns the dates of a text in order and without overlap", () => {
    expect(findDates("From 3 May 2024 to 2024-06-01T10:00Z.").map(({ keys }) => keys)).toEqual([
      ["2024-05-03"],
      ["2024-06-01"],
    ]);
  });
});

describe("dateOfInstant", () => {
  test("returns undefined for an invalid time", () => {
    expect(dateOfInstant(Number.NaN)).toBeUndefined();
  });
});
