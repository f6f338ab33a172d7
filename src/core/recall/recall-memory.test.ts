import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import { propertyRuns } from "../../testing/property-runs.ts";
import type { Message } from "../message/message.ts";
import { finish } from "../tokens/count-text.ts";
import { answerOfflineInSteps } from "./answer-offline.ts";
import { rankPassages } from "./rank-passages.ts";
import { RecallIndex } from "./recall-index.ts";
import { RecallMemory } from "./recall-memory.ts";

const { aUserMessage } = messageBuilder();
const sourcesFor = (index: RecallIndex, question: string) =>
  rankPassages(index, question, { most: 10 }).ranked.map(({ passage }) => passage.source);

describe("RecallMemory", () => {
  const kept = aUserMessage("The oars are in the shed.", { id: "kept" });
  const gone = aUserMessage("The oars belong to Wim.", { id: "gone" });

  test("reads only what is new", () => {
    const memory = new RecallMemory();
    finish(memory.followInSteps([kept]));
    const before = memory.index.size;
    finish(memory.followInSteps([{ ...kept }, gone]));
    expect(memory.index.size).toBe(before + 1);
  });

  test("forgets a message that is gone, and reads one that was changed anew", () => {
    const memory = new RecallMemory();
    finish(memory.followInSteps([kept, gone]));
    const changed: Message = { ...kept, parts: [{ type: "text", text: "The oars are on the roof." }] };
    finish(memory.followInSteps([changed]));
    expect(sourcesFor(memory.index, "Where are the oars?")).toEqual(["kept"]);
    expect(rankPassages(memory.index, "Where are the oars?", { most: 1 }).ranked[0]?.passage.text).toContain("roof");
  });

  test("follows files by path and text", () => {
    const memory = new RecallMemory();
    finish(memory.followInSteps([], [{ path: "a.md", text: "The oars are old." }]));
    finish(memory.followInSteps([], [{ path: "a.md", text: "The mast is new." }]));
    expect(sourcesFor(memory.index, "How old are the oars?")).toEqual([]);
    expect(sourcesFor(memory.index, "Is the mast new?")).toEqual(["a.md"]);
  });

  test("begins anew when most of what it read is gone", () => {
    const memory = new RecallMemory();
    const many = Array.from({ length: 2_000 }, (_, place) => aUserMessage(`Oar ${place} is here.`));
    finish(memory.followInSteps(many));
    finish(memory.followInSteps([kept]));
    expect(memory.index.size).toBe(1);
  });
});

describe("answers on any history", () => {
  test("cite only messages that are there, and are the same each time", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 6 }), fc.string({ maxLength: 60 }), (messages, question) => {
        const answer = answerFor(messages, question);
        const ids = new Set(messages.map(({ id }) => id));
        expect(answer.cited.every((id) => ids.has(id))).toBe(true);
        expect(answerFor(messages, question)).toEqual(answer);
      }),
      { numRuns: Math.ceil(propertyRuns() / 20) },
    );
  });

  test("are the same whether the conversation was read at once or turn by turn", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 6 }), (given) => {
        const messages = [...new Map(given.map((message) => [message.id, message])).values()];
        const memory = new RecallMemory();
        for (let end = 1; end <= messages.length; end += 1) finish(memory.followInSteps(messages.slice(0, end)));
        const whole = new RecallIndex();
        whole.add(messages);
        expect(sourcesFor(memory.index, "the file and the test")).toEqual(sourcesFor(whole, "the file and the test"));
      }),
      { numRuns: Math.ceil(propertyRuns() / 20) },
    );
  });
});

function answerFor(messages: readonly Message[], question: string) {
  const index = new RecallIndex();
  index.add(messages);
  return finish(answerOfflineInSteps({ question, index, messages, budgetTokens: 300 }));
}
