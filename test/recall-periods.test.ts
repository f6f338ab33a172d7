/** Questions that name a day or a period and nothing else recall what was said then. */
import { describe, expect, test } from "vitest";
import { recallMessages } from "../src/core/public/index.ts";
import { openPalimpsest } from "../src/index.ts";

/** A Saturday. */
const NOW = Date.UTC(2026, 10, 21, 9);
const DAYS: readonly (readonly [string, string])[] = [
  ["2023-05-08", "We sold the old rowing boat to Carl for 4,200 euros."],
  ["2023-05-09", "The dentist moved my appointment to the afternoon."],
  ["2026-10-12", "Our roof was repaired by two people from Kessler."],
  ["2026-11-10", "The bakery at the corner closed for good."],
  ["2026-11-17", "Rita brought the tent back, one peg is missing."],
  ["2026-11-20", "The new washing machine was delivered in the rain."],
];

const HISTORY = DAYS.flatMap(([day, text], place) => {
  const saidAt = Date.parse(`${day}T10:00:00Z`);
  return [
    { id: `m${place}`, role: "user", saidAt, parts: [{ type: "text", text }] },
    {
      id: `a${place}`,
      role: "assistant",
      saidAt: saidAt + 60_000,
      parts: [{ type: "text", text: "Noted, thank you." }],
    },
  ] as const;
});

const QUESTIONS: readonly (readonly [string, string])[] = [
  ["What happened on 8 May 2023?", "2023-05-08"],
  ["What did I tell you on May 9, 2023?", "2023-05-09"],
  ["What did we talk about on 2026-11-10?", "2026-11-10"],
  ["What did I say last Tuesday?", "2026-11-17"],
  ["What happened yesterday?", "2026-11-20"],
  ["What did we discuss last month?", "2026-10-12"],
  ["Was ist am 8. Mai 2023 passiert?", "2023-05-08"],
  ["Worüber haben wir am 10. November gesprochen?", "2026-11-10"],
  ["Was habe ich dir gestern gesagt?", "2026-11-20"],
  ["¿Qué pasó el 8 de mayo de 2023?", "2023-05-08"],
  ["¿De qué hablamos ayer?", "2026-11-20"],
  ["Que s'est-il passé le 8 mai 2023 ?", "2023-05-08"],
  ["De quoi avons-nous parlé le 10 novembre ?", "2026-11-10"],
  ["O que aconteceu em 8 de maio de 2023?", "2023-05-08"],
  ["2023年5月8日发生了什么？", "2023-05-08"],
  ["2023年5月8日に何がありましたか？", "2023-05-08"],
];

describe("a question about a period alone", () => {
  test.each(QUESTIONS)("%s", async (question, day) => {
    const said = new Map(DAYS).get(day);
    const palimpsest = await openPalimpsest({ counter: "estimate", clock: { now: () => NOW } });
    const session = await palimpsest.session();
    await session.append(HISTORY, { format: "palimpsest" });
    const { passages } = await session.recall(question);
    expect(passages.map(({ text }) => text)).toContain(said);
    expect(passages.map(({ text }) => text).filter((text) => DAYS.some(([, other]) => other === text))).toEqual([said]);
    await palimpsest.close();
  });
});

test("a prompt quotes the hidden messages of the day that its request names", async () => {
  const policy = { triggerRatio: 0.5, targetRatio: 0.3, summary: { maxTokens: 60 } } as const;
  const palimpsest = await openPalimpsest({
    ...{ counter: "estimate", budgetTokens: 900, policy },
    clock: { now: () => NOW },
  });
  const session = await palimpsest.session();
  await session.append(HISTORY, { format: "palimpsest" });
  for (let turn = 0; turn < 30; turn += 1)
    await session.append([
      { role: "user", content: `Which ship lies at pier ${turn}, and since when?` },
      { role: "assistant", content: `Ship ${turn * 7} lies there until the tide turns again.` },
    ]);
  const { report } = await session.prompt({ next: { role: "user", content: "What happened on 8 May 2023?" } });
  expect(report.recalled?.text).toContain("8 May 2023:\n- user [m0]: We sold the old rowing boat");
  expect(report.recalled?.passages[0]?.words).toEqual(["8 May 2023"]);
  await palimpsest.close();
});

test("a date in a statement or next to a subject does not recall the whole day", () => {
  const passagesFor = (query: string) => recallMessages(HISTORY, query, { budgetTokens: 500 }).passages;
  expect(passagesFor("What did the dentist do on 8 May 2023?").map(({ text }) => text)).toContain(DAYS[1]?.[1]);
  expect(passagesFor("What happened on 7 May 2023?")).toEqual([]);
});
