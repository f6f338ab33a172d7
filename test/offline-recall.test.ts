/**
 * How often the offline model cites the right message: facts are planted in generated conversations, and questions use
 * other words. `npm run bench -- offline-model` measures it on real chats.
 */
import { describe, expect, test } from "vitest";
import type { Message } from "../src/core/message/message.ts";
import { PHRASES } from "../src/core/recall/phrases.ts";
import { createOfflineModel, type OfflineModel } from "../src/models/offline-model.ts";
import { seededRandom } from "../src/testing/seeded-random.ts";
import { generateTaskDialogue } from "./support/generate-task-dialogues.ts";
import { cpuMsOf, growthOf, LINEAR_GROWTH, ratioOf, STEADY_GROWTH, watchLoop } from "./support/growth.ts";
import { ENGLISH_FACTS } from "./support/planted/english-facts.ts";
import { FRESH_FACTS, UNANSWERABLE } from "./support/planted/fresh-facts.ts";
import { NON_ENGLISH_FACTS, NON_ENGLISH_FILLER } from "./support/planted/non-english-facts.ts";
import { type PlantedConversation, plantFacts } from "./support/planted/plant-facts.ts";
import { UNSEEN_FACTS } from "./support/planted/unseen-facts.ts";

const MIN_SHARE = 0.8;

interface Questioner {
  readonly ask: (question: string) => Promise<string>;
  readonly model: OfflineModel;
}

function askAbout(messages: readonly Message[]): Questioner {
  const model = createOfflineModel();
  const ask = async (question: string): Promise<string> => {
    const next: Message = { id: "asked-now", role: "user", parts: [{ type: "text", text: question }] };
    const request = { instructions: "", messages: [...messages, next], maxOutputTokens: 500 };
    const outcome = await model.generate(request, new AbortController().signal);
    return outcome.type === "text" ? outcome.text : outcome.type;
  };
  return { ask, model };
}

const citedIn = (text: string): readonly string[] => [...text.matchAll(/\[([\w#-]+)\]/g)].map(([, id = ""]) => id);

async function shareOfRight({ messages, answers }: PlantedConversation): Promise<number> {
  const { ask } = askAbout(messages);
  let right = 0;
  for (const [question, id] of answers) {
    const cited = citedIn(await ask(question));
    expect(cited.length, question).toBeLessThanOrEqual(3);
    if (cited.includes(id)) right += 1;
  }
  return right / answers.size;
}

describe("planted facts", () => {
  test("are cited for at least 80 % of a hundred English questions in other words", async () => {
    const planted = plantFacts(ENGLISH_FACTS, { seed: 11, fillerTurns: 1_500 });
    expect(planted.answers.size).toBeGreaterThanOrEqual(100);
    expect(await shareOfRight(planted)).toBeGreaterThanOrEqual(MIN_SHARE);
  });

  test("are cited for at least 80 % of questions that the word lists were not written for", async () => {
    const planted = plantFacts(FRESH_FACTS, { seed: 12, fillerTurns: 800 });
    expect(planted.answers.size).toBe(FRESH_FACTS.length);
    expect(await shareOfRight(planted)).toBeGreaterThanOrEqual(MIN_SHARE);
  });

  test.each(Object.keys(NON_ENGLISH_FACTS))("are cited for at least eight of ten questions in %s", async (language) => {
    const facts = NON_ENGLISH_FACTS[language] ?? [];
    const planted = plantFacts(facts, { seed: 13, fillerTurns: 110, filler: NON_ENGLISH_FILLER[language] });
    expect(planted.answers.size).toBe(10);
    expect(await shareOfRight(planted)).toBeGreaterThanOrEqual(MIN_SHARE);
  });

  test("are cited for at least 80 % of questions that were never used for tuning, in five languages", async () => {
    const shares: number[] = [];
    for (const [language, facts] of Object.entries(UNSEEN_FACTS)) {
      const filler = NON_ENGLISH_FILLER[language];
      const planted = plantFacts(facts, { seed: 21, fillerTurns: filler === undefined ? 800 : 110, filler });
      const share = await shareOfRight(planted);
      shares.push(...facts.map(() => share));
    }
    expect(shares).toHaveLength(40);
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThanOrEqual(MIN_SHARE);
  });

  test("are quoted without a warning for at most one unanswerable question in ten", async () => {
    const { ask } = askAbout(plantFacts(ENGLISH_FACTS, { seed: 14, fillerTurns: 1_500 }).messages);
    let plain = 0;
    for (const question of UNANSWERABLE) if ((await ask(question)).includes(PHRASES.en.found)) plain += 1;
    expect(plain / UNANSWERABLE.length).toBeLessThanOrEqual(0.1);
  });
});

describe("the offline model on a conversation of a megabyte", () => {
  const messages = megabyte();
  const question = "When does the last train to Cambridge leave?";
  const askOnce = (part: readonly Message[]) => cpuMsOf(() => askAbout(part).ask(question));

  test("answers in time proportional to the length, and answers the next question much faster", async () => {
    expect(await growthOf(messages, askOnce)).toBeLessThan(LINEAR_GROWTH);
    const { ask } = askAbout(messages);
    await ask(question);
    const costs = { cost: () => cpuMsOf(() => ask(question)), to: () => askOnce(messages) };
    expect(await ratioOf(costs, { below: 0.5 })).toBeLessThan(0.5);
  });

  test("answers a question of a megabyte in at most twice the time", async () => {
    const pasted = messages.map(({ parts: [part] }) => (part?.type === "text" ? part.text : "")).join(" ");
    const costs = {
      cost: () => cpuMsOf(() => askAbout(messages).ask(`${pasted}\n${question}`)),
      to: () => askOnce(messages),
    };
    expect(await ratioOf(costs, { below: 2 })).toBeLessThan(2);
  });

  test("blocks the event loop about as long as on a quarter of the conversation", async () => {
    const longestMs = async (part: readonly Message[]) => {
      const { ask } = askAbout(part);
      const loop = watchLoop();
      await ask(question);
      return loop.end().longestMs;
    };
    const growth = await growthOf(messages, longestMs, { below: STEADY_GROWTH, noiseMs: 25 });
    expect(growth).toBeGreaterThan(0);
    expect(growth).toBeLessThan(STEADY_GROWTH);
  });
});

function megabyte(): readonly Message[] {
  const random = seededRandom(3);
  const messages: Message[] = [];
  for (let size = 0; size < 1_000_000; ) {
    for (const { speaker, text } of generateTaskDialogue(random).turns) {
      const whole = `${text} Reference ${random.id().slice(8)}.`;
      messages.push({ id: `m${messages.length + 1}`, role: speaker, parts: [{ type: "text", text: whole }] });
      size += whole.length;
    }
  }
  return messages;
}
