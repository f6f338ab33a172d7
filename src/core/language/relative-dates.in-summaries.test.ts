import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../testing/builders.ts";
import { verifySummary } from "../summary/verify/verify-summary.ts";
import { resolveRelativeDates } from "./relative-dates.ts";

const { aUserMessage } = messageBuilder();
/** A Monday. */
const saidAt = Date.UTC(2023, 4, 8, 13, 56);
const said = [
  "I joined the choir yesterday, and last Friday my kiln broke.",
  "We moved two weeks ago, after we met three years ago.",
  "My sister comes next month; last week she called.",
  "Last summer we sailed.",
];
const messages = said.map((text) => aUserMessage(text, { saidAt }));

function check(summary: string): { readonly derived: readonly string[]; readonly unsupported: readonly string[] } {
  const { derived, unsupported } = verifySummary(summary, messages, { protectedFacts: [] });
  return { derived: derived.map(({ text }) => text), unsupported: unsupported.map(({ text }) => text) };
}

describe("verifySummary on dates that come from relative dates", () => {
  test("marks a date that is written after its relative phrase as derived", () => {
    const shown = said.flatMap((text) =>
      resolveRelativeDates(text, saidAt).map(({ phrase, date }) => `${phrase} (= ${date})`),
    );
    const { derived, unsupported } = check(shown.join("\n"));
    expect(unsupported).toEqual([]);
    expect(derived).toEqual(["7 May 2023", "5 May 2023", "24 April 2023", "2020", "June 2023", "2022"]);
  });

  test("accepts a date that replaces its relative phrase, in any notation", () => {
    expect(
      check("Choir on 2023-05-07. Kiln broken on May 5th. They met in 2020. Sister in June 2023.").unsupported,
    ).toEqual([]);
    expect(check("She called in the week of 1 May 2023. Sailed in summer 2022.").unsupported).toEqual([]);
  });

  test.each(["6 May 2023", "7 May 2022", "7 April 2023", "12 May 2023", "23 April 2023", "July 2023", "2021"])(
    "reports a date that no relative phrase resolves to: %s",
    (date) => {
      expect(check(`It was ${date}.`).unsupported).toEqual([date]);
    },
  );

  test("derives no date from a message without a time", () => {
    const undated = [aUserMessage("I joined the choir yesterday.")];
    expect(verifySummary("Choir on 7 May 2023.", undated, { protectedFacts: [] }).unsupported).toHaveLength(1);
  });
});
