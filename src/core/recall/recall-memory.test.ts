import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import type { Message } from "../message/message.ts";
import { runSteps } from "../tokens/count-text.ts";
import { answerOfflineInSteps } from "./answer-offline.ts";
import { rankPassages } from "./rank-passages.ts";
import type { RecallFile } from "./read-passages.ts";
import { RecallIndex } from "./recall-index.ts";
import { RecallMemory } from "./recall-memory.ts";

const { aUserMessage } = messageBuilder();
const sourcesFor = (index: RecallIndex, question: string) =>
  rankPassages(index, question, { most: 10 }).ranked.map(({ passage }) => passage.source);

const follow = (memory: RecallMemory, messages: readonly Message[], files: readonly RecallFile[] = []) =>
  runSteps(memory.followInSteps({ messages }, files));

describe("RecallMemory", () => {
  const kept = aUserMessage("The oars are in the shed.", { id: "kept" });
  const gone = aUserMessage("The oars belong to Wim.", { id: "gone" });

  test("adds only new messages to the index", () => {
    const memory = new RecallMemory();
    follow(memory, [kept]);
    const before = memory.index.size;
    follow(memory, [{ ...kept }, gone]);
    expect(memory.index.size).toBe(before + 1);
  });

  test("drops a removed message, and replaces a changed one", () => {
    const memory = new RecallMemory();
    follow(memory, [kept, gone]);
    const changed: Message = { ...kept, parts: [{ type: "text", text: "The oars are on the roof." }] };
    follow(memory, [changed]);
    expect(sourcesFor(memory.index, "Where are the oars?")).toEqual(["kept"]);
    expect(rankPassages(memory.index, "Where are the oars?", { most: 1 }).ranked[0]?.passage.text).toContain("roof");
  });

  test("reads only the new messages while the edition is the same, and compares all messages when it changes", () => {
    const memory = new RecallMemory();
    const looked: string[] = [];
    const watch = (messages: readonly Message[]) =>
      new Proxy(messages, {
        get(list, key, receiver) {
          if (typeof key === "string" && /^\d+$/.test(key)) looked.push(key);
          return Reflect.get(list, key, receiver);
        },
      });
    runSteps(memory.followInSteps({ messages: [kept, gone], edition: 1 }));
    const news = aUserMessage("The oars are wet.", { id: "news" });
    runSteps(memory.followInSteps({ messages: watch([kept, gone, news]), edition: 1 }));
    expect([...new Set(looked)]).toEqual(["2"]);
    runSteps(memory.followInSteps({ messages: watch([kept, news]), edition: 2 }));
    expect(sourcesFor(memory.index, "Where are the oars?").sort()).toEqual(["kept", "news"]);
  });

  test("reads a message again after an interruption, and drops it if it was removed", () => {
    const long = aUserMessage("The oars are in the shed. ".repeat(2_000), { id: "long" });
    const whole = new RecallMemory();
    follow(whole, [long]);
    for (const edition of [1, 2]) {
      const memory = new RecallMemory();
      const steps = memory.followInSteps({ messages: [long], edition: 1 });
      steps.next();
      steps.next();
      expect(memory.index.liveCount).toBeLessThan(whole.index.liveCount);
      runSteps(memory.followInSteps({ messages: edition === 1 ? [long] : [], edition }));
      expect(memory.index.liveCount).toBe(edition === 1 ? whole.index.liveCount : 0);
    }
  });

  test("replaces a file whose text changed", () => {
    const memory = new RecallMemory();
    follow(memory, [], [{ path: "a.md", text: "The oars are old." }]);
    follow(memory, [], [{ path: "a.md", text: "The mast is new." }]);
    expect(sourcesFor(memory.index, "How old are the oars?")).toEqual([]);
    expect(sourcesFor(memory.index, "Is the mast new?")).toEqual(["a.md"]);
  });

  test("starts a new index when most messages were removed", () => {
    const memory = new RecallMemory();
    const many = Array.from({ length: 2_000 }, (_, place) => aUserMessage(`Oar ${place} is here.`));
    follow(memory, many);
    follow(memory, [kept]);
    expect(memory.index.size).toBe(1);
  });
});

describe("recall on any history", () => {
  test("answerOfflineInSteps cites only messages of the conversation, and returns the same answer each time", () => {
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

  test("RecallMemory finds the same sources message by message as RecallIndex does at once", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 6 }), (given) => {
        const messages = [...new Map(given.map((message) => [message.id, message])).values()];
        const memory = new RecallMemory();
        for (let end = 1; end <= messages.length; end += 1) follow(memory, messages.slice(0, end));
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
  return runSteps(answerOfflineInSteps({ question, index, messages, budgetTokens: 300 }));
}
