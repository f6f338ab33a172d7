import { describe, expect, test } from "vitest";
import { viewOf } from "../../../test/support/core-values.ts";
import { DEFAULT_POLICY } from "../../policies/default-policy.ts";
import { messageBuilder } from "../../testing/builders.ts";
import type { Message } from "../message/message.ts";
import { findPreferredTail } from "./find-tail.ts";
import type { PlanSettings } from "./plan-settings.ts";

const { aUserMessage, anAssistantMessage, aSystemMessage, aRound, anExchange } = messageBuilder();

const needOf = (tail: PlanSettings["tail"], tailMessages?: number) => ({
  settings: { ...DEFAULT_POLICY, tail },
  limitTokens: 1_000,
  tailMessages,
});
const preferred = (messages: readonly Message[], tail: PlanSettings["tail"], tailMessages?: number): number =>
  findPreferredTail({ view: viewOf(messages) }, needOf(tail, tailMessages));

/** Twenty assistant messages of 100 tokens each. */
const answers = Array.from({ length: 20 }, () => anAssistantMessage("a".repeat(384)));
const roundsOf = (...names: readonly string[]): readonly Message[] =>
  names.flatMap((name) => aRound([{ callId: name, output: name }]));

describe("findPreferredTail", () => {
  test("uses the policy's tokens or its share of the limit, whichever is larger", () => {
    expect(preferred(answers, { tokens: 200 })).toBe(18);
    expect(preferred(answers, { tokens: 200, ratio: 0.5 })).toBe(15);
    expect(preferred(answers, { tokens: 700, ratio: 0.5 })).toBe(13);
  });

  test("uses the measure that keeps the most messages", () => {
    expect(preferred(answers, { messages: 12, ratio: 0.5, rounds: 3 })).toBe(8);
  });

  test("returns the end of the view if the policy sets no measure", () => {
    expect(preferred(answers, {})).toBe(20);
    expect(preferred([], { messages: 6, exchanges: 2, rounds: 2, ratio: 0.25 })).toBe(0);
  });

  test("prefers the measures of a step to those of the policy", () => {
    const view = viewOf([...anExchange("One.", "1"), aUserMessage("Two."), ...roundsOf("a", "b", "c")]);
    const need = needOf({ exchanges: 1, rounds: 1 });
    expect(findPreferredTail({ view }, need)).toBe(2);
    expect(findPreferredTail({ view }, need, { exchanges: 0 })).toBe(7);
  });
});

describe("findPreferredTail, called again", () => {
  test("reads the messages of a view only once for the same settings", () => {
    const view = viewOf(answers);
    let reads = 0;
    const messages = new Proxy(view.messages, {
      get: (target, name, receiver) => {
        if (typeof name === "string" && /^\d+$/.test(name)) reads += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    const counted = { view: { ...view, messages } };
    const need = needOf({ tokens: 700, exchanges: 2 });
    const first = findPreferredTail(counted, need);
    expect(reads).toBeGreaterThan(0);
    const readsOfOne = reads;
    expect([findPreferredTail(counted, need), findPreferredTail(counted, { ...need })]).toEqual([first, first]);
    expect(reads).toBe(readsOfOne);
    expect(findPreferredTail(counted, needOf({ tokens: 200 }))).not.toBe(first);
  });
});

describe("findPreferredTail with textMessages", () => {
  test("counts user and assistant messages with text, and keeps all messages between them", () => {
    const messages = [...anExchange("One.", "1"), aUserMessage("Two."), ...roundsOf("a", "b"), anAssistantMessage("2")];
    expect([1, 2, 3, 4, 5].map((textMessages) => preferred(messages, { textMessages }))).toEqual([7, 2, 1, 0, 0]);
  });

  test("does not count system messages and blank messages", () => {
    const messages = [...anExchange("One.", "1"), aSystemMessage("Be brief."), aUserMessage(" \n")];
    expect(preferred(messages, { textMessages: 1 })).toBe(1);
  });

  test("does not split a round whose call has text", () => {
    const spoken = aRound([{ callId: "a", output: "x" }], { text: "I will look." });
    expect(preferred([aUserMessage("Look."), ...spoken], { textMessages: 1 })).toBe(1);
  });

  test("ignores `textMessages: 0`", () => {
    expect(preferred(answers, { textMessages: 0, messages: 3 })).toBe(17);
  });
});

describe("findPreferredTail with openRounds", () => {
  const open = [...anExchange("One.", "1"), aUserMessage("Two."), ...roundsOf("a", "b", "c")];

  test("keeps the newest rounds of the open turn", () => {
    expect([1, 2].map((openRounds) => preferred(open, { openRounds }))).toEqual([7, 5]);
  });

  test("keeps the whole open turn if it has no more rounds than openRounds", () => {
    expect([3, 4].map((openRounds) => preferred(open, { openRounds }))).toEqual([2, 2]);
    expect(preferred([...open, aUserMessage("Three.")], { openRounds: 1 })).toBe(9);
  });

  test("counts only rounds that call tools", () => {
    const chatty = [...open.slice(0, 5), anAssistantMessage("Going on."), ...open.slice(5)];
    expect([1, 2, 3].map((openRounds) => preferred(chatty, { openRounds }))).toEqual([8, 6, 2]);
  });

  test("ignores the other measures", () => {
    expect(preferred(open, { openRounds: 1, messages: 8, exchanges: 2, ratio: 1 })).toBe(7);
  });

  test("returns 0 for an empty view", () => {
    expect(preferred([], { openRounds: 2 })).toBe(0);
  });
});

describe("findPreferredTail with otherwiseTokens", () => {
  const turns = [...anExchange("One.", "1"), ...anExchange("Two.", "2"), ...anExchange("q".repeat(384), "3")];

  test("applies otherwiseTokens only if the other measures keep the whole view", () => {
    expect(preferred(turns, { messages: 4, otherwiseTokens: 50 })).toBe(2);
    expect(preferred(turns, { messages: 6, otherwiseTokens: 50 })).toBe(5);
    expect(preferred(turns, { messages: 6 })).toBe(0);
  });

  test("uses otherwiseTokens or otherwiseExchanges, whichever keeps more messages", () => {
    expect(preferred(turns, { messages: 6, otherwiseTokens: 50, otherwiseExchanges: 2 })).toBe(2);
    expect(preferred(turns, { messages: 6, otherwiseTokens: 106, otherwiseExchanges: 0 })).toBe(4);
  });
});

describe("findPreferredTail with tailMessages", () => {
  test("ignores the sizes that the policy sets", () => {
    expect(preferred(answers, { messages: 12, exchanges: 2 }, 3)).toBe(17);
    expect(preferred(answers, { openRounds: 1 }, 3)).toBe(17);
    expect(preferred(answers, { messages: 12 }, 0)).toBe(20);
  });

  test("does not split a round", () => {
    expect(preferred([aUserMessage("Look."), ...roundsOf("a", "b")], { messages: 5 }, 1)).toBe(3);
  });
});
