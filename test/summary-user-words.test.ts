/** Quotes of the user's messages, in summaries by code of work with tools. */
import { describe, expect, test } from "vitest";
import { summarizeOffline } from "../src/core/public/index.ts";
import { readSummaryText } from "../src/core/summary/offline/read-summary-text.ts";

const ask = (content: string) => ({ role: "user", content });
const answer = (content: string) => ({ role: "assistant", content });
const call = (id: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "run", arguments: '{"command":"npm test"}' } }],
  },
  { role: "tool", tool_call_id: id, content: "ok" },
];

function wordsOfUser(text: string): readonly string[] {
  const lines = text.split("\n");
  const start = lines.indexOf("The user said:");
  const end = lines.findIndex((line, place) => place > start && !line.startsWith("- "));
  return start < 0 ? [] : lines.slice(start + 1, end < 0 ? undefined : end).map((line) => line.slice(2));
}

const START = [ask("Fix the import of the price list."), ...call("c1"), answer("The import reads the wrong column.")];
const FILLER = Array.from({ length: 40 }, (_, place) =>
  answer(`Row ${place} of the price list has the currency code in column ${place + 3} of the sheet.`),
);

describe("the user's words in a summary by code", () => {
  test("are quoted verbatim, in their order", () => {
    const said = ["The blue column is the gross price.", "Shops in Norway send commas.", "I am away until Tuesday."];
    const messages = [...START, ...said.map(ask), ...FILLER];
    expect(wordsOfUser(summarizeOffline(messages, { budgetTokens: 400 }).text)).toEqual(said);
  });

  test("are shortened if the newest message alone is too long", () => {
    const long = `The supplier wrote that ${"the list of the harbor shop arrives late and ".repeat(30)}that is all.`;
    const [only = "", ...others] = wordsOfUser(
      summarizeOffline([...START, ...FILLER, ask("Shops send commas."), ask(long)], { budgetTokens: 300 }).text,
    );
    expect(others).toEqual([]);
    expect(only).toMatch(/^The supplier wrote that the list .* …$/);
    expect(only.length).toBeGreaterThan(200);
  });

  test("leave out mere approval, and keep short answers", () => {
    const messages = [...START, ...["Great, thanks.", "2", "No, the red one."].map(ask), ...FILLER];
    expect(wordsOfUser(summarizeOffline(messages, { budgetTokens: 400 }).text)).toEqual(["2", "No, the red one."]);
  });

  test("do not repeat a message that the summary lists as goal and constraints", () => {
    const [first, rule] = ["Fix the import.", "You must never drop a row."];
    const messages = [ask(`${first} ${rule}`), ...START.slice(1)];
    const { text } = summarizeOffline([...messages, ...FILLER], { budgetTokens: 400 });
    expect(text).toContain(`Goal:\n- ${first} ${rule}\nMust hold:\n- ${rule}\n`);
    expect(wordsOfUser(text)).toEqual([]);
    // In a short summary there is no room for the goal.
    expect(wordsOfUser(summarizeOffline(messages, { budgetTokens: 400 }).text)).toEqual([first]);
  });

  test("leave out a greeting before the goal", () => {
    const messages = [ask("Good morning. Fix the import of the price list."), ...START.slice(1), ...FILLER];
    const { text } = summarizeOffline(messages, { budgetTokens: 600 });
    expect(text).toContain("Goal:\n- Fix the import of the price list.\n");
    expect(wordsOfUser(text)).toEqual([]);
  });

  test("are carried to the next summary, from a record and from its text alone", () => {
    const said = "The blue column is the gross price.";
    const previous = summarizeOffline([...START, ask(said), ...FILLER], { budgetTokens: 400 });
    const next = summarizeOffline(FILLER, { budgetTokens: 400, previous });
    expect(wordsOfUser(next.text)).toContain(said);
    const { text, facets, keyPoints } = readSummaryText(`The user said:\n- ${said}`, { source: "m1", count: 9 });
    const parsed = { ...previous, text, facets, keyPoints, lines: undefined };
    expect(wordsOfUser(summarizeOffline(FILLER, { budgetTokens: 400, previous: parsed }).text)).toEqual([said]);
  });
});
