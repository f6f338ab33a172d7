/** Conversations of people that are given as text: pasted into one message, or with the speaker before each message. */
import { describe, expect, test } from "vitest";
import { summarizeOffline, verifySummary } from "../src/core/public/index.ts";
import { openPalimpsest, type SummaryRecord } from "../src/index.ts";

interface Turn {
  readonly day: number;
  readonly name: string;
  readonly text: string;
}

const SAID = [
  "I bought a canoe yesterday, it is bright red.",
  "My brother opens his bakery next week in Lund.",
  "The neighbors complained about the drums again.",
  "We are painting the kitchen in a pale green.",
  "Aunt Vera sends her regards from Trondheim.",
  "The museum offered me a position in its archive.",
];
const TURNS: readonly Turn[] = Array.from({ length: 24 }, (_, index) => ({
  day: 3 + Math.floor(index / 6),
  name: index % 2 === 0 ? "Mia" : "Jonas",
  text: `${SAID[index % SAID.length]} That was number ${index + 1}.`,
}));

const pasted = TURNS.map(({ day, name, text }) => `[${day} March 2021, 18:30] ${name}: ${text}`).join("\n");
const headed = TURNS.map(({ day, name, text }, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `${name} (2021-03-0${day} 18:30): ${text}`,
}));
const structured = TURNS.map(({ day, name, text }, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  name,
  content: text,
  createdAt: Date.UTC(2021, 2, day, 18, 30),
}));

describe("a summary by code", () => {
  test.each([
    ["a pasted transcript", [{ role: "user", content: pasted }]],
    ["messages that begin with their speaker", headed],
  ])("of %s names speakers and days, and resolves relative dates by the day of the line", (_, messages) => {
    const record = summarizeOffline(messages, { budgetTokens: 260 });
    expect(record.facets.participants).toEqual(["Mia", "Jonas"]);
    expect(record.text).toMatch(/^- 6 March 2021 Mia: .*canoe yesterday \(= 5 March 2021\)/m);
    expect(record.text).not.toContain("18:30");
    expect(verifySummary(record, messages)).toMatchObject({ score: 1, missing: [], unsupported: [] });
  });

  test("of a pasted transcript equals that of the same conversation with names and times in fields", () => {
    const storyOf = (messages: readonly object[]) => summarizeOffline(messages, { budgetTokens: 260 }).text;
    expect(storyOf([{ role: "user", content: pasted }])).toBe(storyOf(structured));
  });
});

test("a session folds a pasted transcript into lines with speakers and days", async () => {
  const palimpsest = await openPalimpsest({ budgetTokens: 1_200 });
  const records: (SummaryRecord | undefined)[] = [];
  palimpsest.on("compaction", ({ record }) => records.push(record));
  const session = await palimpsest.session();
  await session.append([
    { role: "user", content: pasted },
    { role: "assistant", content: "What should I do with it?" },
  ]);
  await session.append(
    SAID.flatMap((text) => [
      { role: "user", content: text.repeat(6) },
      { role: "assistant", content: "I see." },
    ]),
  );
  await session.prompt({ provider: "openai" });
  await palimpsest.close();
  expect(records[0]?.text).toMatch(/^- \d March 2021 (?:Mia|Jonas): /m);
  expect(records[0]?.verification).toMatchObject({ score: 1, removedClaims: 0 });
});
