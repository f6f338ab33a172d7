import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { findDates } from "./normalize-date.ts";
import { resolveRelativeDates } from "./relative-dates.ts";

/** A Monday. */
const SAID_AT = Date.UTC(2023, 4, 8, 13, 56);

/** Writes each date after its phrase. */
function show(text: string, saidAt = SAID_AT): string {
  let shown = "";
  let place = 0;
  for (const { end, date } of resolveRelativeDates(text, saidAt)) {
    shown += `${text.slice(place, end)} (${date})`;
    place = end;
  }
  return shown + text.slice(place);
}

describe("resolveRelativeDates", () => {
  test("returns the offsets, the phrase and the date", () => {
    expect(resolveRelativeDates("Ana left yesterday.", SAID_AT)).toEqual([
      { start: 9, end: 18, phrase: "yesterday", meaning: "yesterday", date: "7 May 2023" },
    ]);
  });

  test.each([
    ["the kiln broke yesterday morning", "yesterday morning (7 May 2023)"],
    ["we leave the day after tomorrow", "the day after tomorrow (10 May 2023)"],
    ["It burst the day before yesterday.", "the day before yesterday (6 May 2023)"],
    ["two days ago it rained", "two days ago (6 May 2023)"],
    ["last night we sang", "last night (7 May 2023)"],
    ["see you tonight", "tonight (8 May 2023)"],
    ["this morning it froze", "this morning (8 May 2023)"],
    ["I ran last Friday", "last Friday (5 May 2023)"],
    ["I ran last Tues", "last Tues (2 May 2023)"],
    ["I ran last Monday", "last Monday (1 May 2023)"],
    ["the fair is this Friday", "this Friday (12 May 2023)"],
    ["I fell this Friday on the ice", "this Friday (5 May 2023)"],
    ["next Monday is fine", "next Monday (15 May 2023)"],
    ["this coming Sunday", "this coming Sunday (14 May 2023)"],
    ["it is due in three days' time", "in three days' time (11 May 2023)"],
  ])("resolves the date in: %s", (text, expected) => {
    expect(show(text)).toContain(expected);
  });

  test.each([
    ["met up last week", "last week (the week before 8 May 2023)"],
    ["this week I paint", "this week (the week of 8 May 2023)"],
    ["they come next week", "next week (the week after 8 May 2023)"],
    ["last weekend we hiked", "last weekend (the weekend before 8 May 2023)"],
    ["two weekends ago we hiked", "two weekends ago (two weekends before 8 May 2023)"],
    ["this weekend we will hike", "this weekend (the weekend of 13 May 2023)"],
    ["this weekend we hiked", "this weekend (the weekend before 8 May 2023)"],
    ["over the weekend we hiked", "over the weekend (the weekend before 8 May 2023)"],
    ["two weeks ago", "two weeks ago (around 24 April 2023)"],
    ["I'll start in two weeks", "in two weeks (around 22 May 2023)"],
    ["the exam is in two weeks", "in two weeks (around 22 May 2023)"],
    ["two months ago", "two months ago (March 2023)"],
    ["next month", "next month (June 2023)"],
    ["last December", "last December (December 2022)"],
    ["last summer", "last summer (summer 2022)"],
    ["a year ago", "a year ago (around May 2022)"],
    ["last year's harvest", "last year's (2022) harvest"],
    ["three years ago", "three years ago (2020)"],
    ["10 years ago", "10 years ago (2013)"],
  ])("keeps the precision of the phrase: %s", (text, expected) => {
    expect(show(text)).toContain(expected);
  });

  test("resolves a bare weekday only if the tense of its sentence is clear", () => {
    expect(show("On Friday we will paint.")).toBe("On Friday (12 May 2023) we will paint.");
    expect(show("We painted on Friday. Nothing will change.")).toContain("on Friday (5 May 2023)");
    expect(show("We meet on Friday.")).toBe("We meet on Friday.");
    expect(show("I planned it and will go on Friday, as we talked.")).not.toContain("2023");
    expect(show("On Monday we will paint.")).not.toContain("2023");
  });

  test.each([
    "I saw her the other day, recently, a few weeks ago, a couple of weeks ago.",
    "next Friday, next weekend, last April",
    "the last week of June, over the last year, my last year at school, the next month",
    "more than two years ago, two or three years ago, 2-3 days ago, two and a half years ago",
    "I finished it in two weeks.",
    "It feels like yesterday.",
    "This may work, and the sun sat on this sun.",
    "I read it in Harbour Today.",
    "since 2016, in today's world, a week ago Friday",
  ])("does not resolve ambiguous phrases: %s", (text) => {
    expect(show(text)).toBe(text);
  });

  test('does not resolve "last summer" in autumn', () => {
    const october = Date.UTC(2023, 9, 3);
    expect(show("last summer", october)).toBe("last summer");
    expect(show("this past summer", october)).toBe("this past summer (summer 2023)");
    expect(show("last summer", Date.UTC(2023, 6, 3))).toBe("last summer (summer 2022)");
  });

  test("does not resolve dates in quotations, code and paths", () => {
    const text = [
      'He wrote "see you tomorrow" and “back yesterday”.',
      "> the deadline is tomorrow",
      "Run `report --since yesterday` on logs/yesterday.txt or last-week.md.",
      "```",
      "tomorrow()",
      "```",
      'A lone " stands before nothing',
    ].join("\n");
    expect(show(text)).toBe(text);
    expect(show(`${text}\nand yesterday it snowed`)).toContain("yesterday (7 May 2023)");
  });

  test("resolves dates across the ends of months and years", () => {
    const january = Date.UTC(2024, 0, 1);
    expect(show("yesterday and last month", january)).toBe(
      "yesterday (31 December 2023) and last month (December 2023)",
    );
    expect(show("one month ago", Date.UTC(2024, 4, 31))).toBe("one month ago (April 2024)");
  });

  test("returns no dates for an invalid time", () => {
    for (const saidAt of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15, -8.64e15]) {
      expect(resolveRelativeDates("yesterday", saidAt)).toEqual([]);
    }
  });

  test("returns dates with correct offsets in order, for any text", () => {
    const words = fc.constantFrom(
      "yesterday",
      "last",
      "Friday",
      "on",
      "week",
      "two",
      "ago",
      "the",
      '"',
      "`",
      ".",
      "in",
      "a",
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), fc.date({ noInvalidDate: true }), (pieces, date) => {
        const text = pieces.join(" ");
        let place = 0;
        for (const { start, end, phrase, date: shown } of resolveRelativeDates(text, date.getTime())) {
          expect(start).toBeGreaterThanOrEqual(place);
          expect(text.slice(start, end)).toBe(phrase);
          expect(shown).toMatch(/\d{4}$/);
          expect(/\d{1,2} [A-Z]/.test(shown) ? findDates(shown).length : 1).toBe(1);
          place = end;
        }
      }),
      { numRuns: propertyRuns() },
    );
  });
});
