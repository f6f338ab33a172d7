/**
 * The bundled sample, as the page plays it: message by message through a session in its own window, with a prompt
 * before every assistant message.
 */
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import { repairMessages } from "../src/core/message/repair-messages.ts";
import { PROVIDERS } from "../src/core/prompt/provider.ts";
import { validate } from "../src/core/prompt/validate/validate.ts";
import { countTokens } from "../src/core/tokens/count-tokens.ts";
import type { Prompt } from "../src/engine/prompt/prompt.ts";
import { createOfflineModel } from "../src/models/offline-model.ts";
import { readSample } from "../src/sample/sample-conversation.ts";

const { title, instructions, windowTokens, reserveTokens, turns } = readSample();

const TOOLS = [
  ...["search_archive", "list_stations", "read_sheet", "read_file", "write_file", "run_script", "fetch_page"],
  "read_sensors",
];

async function playSample() {
  const palimpsest = await openPalimpsest({
    windowTokens,
    reserveTokens,
  });
  let compactions = 0;
  palimpsest.on("compaction", () => {
    compactions += 1;
  });
  const session = await palimpsest.session("sample");
  const prompts: Prompt[] = [];
  for (const message of turns.flat()) {
    if (message.role === "assistant") {
      prompts.push(await session.prompt({ instructions }));
    }
    await session.append(message, { format: "palimpsest" });
  }
  await session.settle();
  const fates: string[] = [];
  for (const { id } of turns.flat()) fates.push((await session.explain(id)).fate);
  await palimpsest.close();
  return { compactions, prompts, fates };
}

describe("the sample conversation", () => {
  test("has at least sixty turns of three people, in chronological order, and twice the tokens of its window", () => {
    const messages = turns.flat();
    expect(title).toContain("museum");
    expect(turns.length).toBeGreaterThanOrEqual(60);
    expect(new Set(messages.flatMap(({ name }) => name ?? []))).toEqual(new Set(["Nora", "Tomasz", "Ifeoma"]));
    const times = messages.map(({ saidAt = Number.NaN }) => saidAt);
    expect(times).toEqual([...times].sort((left, right) => left - right));
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
    expect(countTokens(messages)).toBeGreaterThan(2 * windowTokens);
  });

  test("needs no repair: every call names a known tool and has its result", () => {
    const messages = turns.flat();
    expect(repairMessages(messages).repairs).toEqual([]);
    const called = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-call" ? part.tool : [])),
    );
    expect(new Set(called)).toEqual(new Set(TOOLS));
  });

  test("is the same in every run", () => {
    expect(readSample()).toEqual(readSample());
  });

  test("is compacted at least three times in its window, and every prompt is valid and fits", async () => {
    const { compactions, prompts, fates } = await playSample();
    expect(compactions).toBeGreaterThanOrEqual(3);
    expect(prompts.length).toBeGreaterThan(80);
    for (const prompt of prompts) {
      expect(prompt.report.tokens).toBeLessThanOrEqual(windowTokens - reserveTokens);
      for (const provider of PROVIDERS) expect(validate(prompt.as(provider), provider)).toEqual([]);
    }
    // Facts of the first morning are in the last prompt, and hidden messages are summarized.
    expect(JSON.stringify(prompts.at(-1)?.messages)).toMatch(/drilled, screwed or glued/);
    expect(fates).toHaveLength(turns.flat().length);
    expect(new Set(fates)).toEqual(new Set(["summarised", "verbatim"]));
  });

  test("lets the offline model answer at least eight of ten questions from the right message", async () => {
    const model = createOfflineModel();
    const missed: string[] = [];
    for (const [question, answer] of QUESTIONS) {
      const asked = { id: "asked", role: "user" as const, parts: [{ type: "text" as const, text: question }] };
      const request = { instructions: "", messages: [...turns.flat(), asked], maxOutputTokens: 500 };
      const outcome = await model.generate(request, new AbortController().signal);
      const text = outcome.type === "text" ? outcome.text : outcome.type;
      if (!text.includes(answer) || !/\[sample-\d\d/.test(text)) missed.push(question);
    }
    expect(missed.length, missed.join(" ")).toBeLessThanOrEqual(2);
  });
});

/**
 * Questions with words that only a message with the answer contains. The last two need the meaning of "they" and
 * "them".
 */
const QUESTIONS = [
  ["When was the pot furnace lit for the first time?", "1878"],
  ["What may not be done to the walls of the furnace hall?", "drilled, screwed or glued"],
  ["Who reads the Swedish texts?", "Maj"],
  ["What did the repair of the roof cost?", "640 euros"],
  ["Why did the script stop at stop 19?", "toFixed"],
  ["How many visitors came on the opening day?", "212 visitors"],
  ["What is the reference of the application?", "KM-2026-0419"],
  ["What does Studio Korpen charge per finished minute?", "35 euros"],
  ["When do the roofers come?", "8 April"],
  ["Who makes the steel feet?", "smith in Hamnskär"],
] as const;
