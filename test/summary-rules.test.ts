/** Rules of the user that say the same in other words stand once in a summary. */
import { describe, expect, test } from "vitest";
import { summarizeOffline } from "../src/core/public/index.ts";

const OPTIONS = { budgetTokens: 800 } as const;

function rulesOf(texts: readonly string[]): readonly string[] {
  return summarizeOffline(
    texts.map((content) => ({ role: "user", content })),
    OPTIONS,
  ).facets.constraints;
}

function rulesOfChain(texts: readonly string[]): readonly string[] {
  const [first = "", ...others] = texts;
  let previous = summarizeOffline([{ role: "user", content: first }], OPTIONS);
  for (const content of others) previous = summarizeOffline([{ role: "user", content }], { ...OPTIONS, previous });
  return previous.facets.constraints;
}

describe.each([
  { kind: "in one summary", read: rulesOf },
  { kind: "in a chain", read: rulesOfChain },
])("rules $kind", ({ read }) => {
  test.each([
    ["Never push to main.", "Please don't push to main directly."],
    ["Always run the linter.", "You must always run the linter and the formatter."],
    ["Push niemals auf main.", "Bitte niemals direkt auf main pushen, push niemals auf main."],
  ])("keep the newest wording if it says all of the older one: %j, %j", (older, newer) => {
    expect(read([older, newer])).toEqual([newer]);
  });

  test("keep the older wording if the newer one says less", () => {
    const older = "Never deploy the shop to production on Fridays.";
    expect(read([older, "Never deploy on Fridays."])).toEqual([older]);
  });

  test.each([
    ["Never deploy on Fridays.", "Never deploy on Mondays."],
    ["The text must have at most 200 words.", "The title must have at most 8 words."],
    ["Never push to main.", "Never push to main without my approval."],
    ["Always answer in German.", "Never answer in German slang."],
  ])("keep both if they differ: %j, %j", (one, other) => {
    expect(read([one, other])).toEqual([one, other]);
  });
});
