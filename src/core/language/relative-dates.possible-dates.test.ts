import { describe, expect, test } from "vitest";
import { listPossibleDates } from "./relative-dates.ts";

/** A Friday. */
const SAID_AT = Date.UTC(2024, 4, 3, 12);

describe("listPossibleDates", () => {
  test('resolves "yesterday" and "tomorrow" from the date of the message', () => {
    expect(listPossibleDates("We met yesterday and meet again tomorrow.", SAID_AT).days).toEqual([
      "2024-05-02",
      "2024-05-04",
    ]);
    expect(listPossibleDates("Nothing.", SAID_AT)).toEqual({ days: [], others: [] });
  });

  test("returns the previous and the next date for a bare weekday", () => {
    expect(listPossibleDates("Monday works.", SAID_AT).days).toEqual(["2024-05-06", "2024-04-29"]);
    expect(listPossibleDates("Perhaps next Wednesday.", SAID_AT)).toEqual({ days: [], others: ["8 May 2024"] });
    expect(listPossibleDates("Perhaps next Saturday.", SAID_AT).days).toEqual(["2024-05-04", "2024-05-11"]);
  });

  test('returns one date for "last Monday"', () => {
    expect(listPossibleDates("I ran last Monday.", SAID_AT)).toEqual({ days: [], others: ["29 April 2024"] });
  });

  test("returns the first and the last day of a week", () => {
    expect(listPossibleDates("We moved last week.", SAID_AT)).toEqual({
      days: ["2024-04-22", "2024-04-28"],
      others: ["the week before 3 May 2024"],
    });
    expect(listPossibleDates("We moved last weekend.", SAID_AT).days).toEqual(["2024-04-27", "2024-04-28"]);
  });

  test("resolves words for yesterday and the day after tomorrow in other languages", () => {
    for (const text of [
      "Wir kamen gestern an.",
      "Llegamos ayer.",
      "我们昨天到了。",
      "昨日着きました。",
      "وصلنا أمس.",
    ]) {
      expect(listPossibleDates(text, SAID_AT).days).toEqual(["2024-05-02"]);
    }
    expect(listPossibleDates("Wir kommen übermorgen.", SAID_AT).days).toEqual(["2024-05-05"]);
    expect(listPossibleDates("Der gestrige Vorschlag, player, Mayer", SAID_AT).days).toEqual([]);
  });

  test("returns no days for an invalid time", () => {
    expect(listPossibleDates("yesterday, Monday", Number.NaN)).toEqual({ days: [], others: [] });
  });
});
