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

/** Twenty answers of a hundred tokens. */
const answers = Array.from({ length: 20 }, () => anAssistantMessage("a".repeat(384)));
const roundsOf = (...names: readonly string[]): readonly Message[] =>
  names.flatMap((name) => aRound([{ callId: name, output: name }]));

describe("findPreferredTail", () => {
  test("uses the larger of the policy's tokens and its share of the limit", () => {
    expect(preferred(answers, { tokens: 200 })).toBe(18);
    expect(preferred(answers, { tokens: 200, ratio: 0.5 })).toBe(15);
    expect(preferred(answers, { tokens: 700, ratio: 0.5 })).toBe(13);
  });

  test("takes the most inclusive of all measures", () => {
    expect(preferred(answers, { messages: 12, ratio: 0.5, rounds: 3 })).toBe(8);
  });

  test("is the end of the view if the policy sets no measure", () => {
    expect(preferred(answers, {})).toBe(20);
    expect(preferred([], { messages: 6, exchanges: 2, rounds: 2, ratio: 0.25 })).toBe(0);
  });

  test("uses the measures of a step instead of the policy's", () => {
    const view = viewOf([...anExchange("One.", "1"), aUserMessage("Two."), ...roundsOf("a", "b", "c")]);
    const need = needOf({ exchanges: 1, rounds: 1 });
    expect(findPreferredTail({ view }, need)).toBe(2);
    expect(findPreferredTail({ view }, need, { exchanges: 0 })).toBe(7);
  });
});

describe("the tail of one view", () => {
  test("is computed once, however often the steps of a compaction need it", () => {
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

describe("a tail of text messages", () => {
  test("counts user and assistant messages with text, and includes everything between them", () => {
    const messages = [...anExchange("One.", "1"), aUserMessage("Two."), ...roundsOf("a", "b"), anAssistantMessage("2")];
    expect([1, 2, 3, 4, 5].map((textMessages) => preferred(messages, { textMessages }))).toEqual([7, 2, 1, 0, 0]);
  });

  test("counts neither system nor blank messages", () => {
    const messages = [...anExchange("One.", "1"), aSystemMessage("Be brief."), aUserMessage(" \n")];
    expect(preferred(messages, { textMessages: 1 })).toBe(1);
  });

  test("splits no round whose call has text", () => {
    const spoken = aRound([{ callId: "a", output: "x" }], { text: "I will look." });
    expect(preferred([aUserMessage("Look."), ...spoken], { textMessages: 1 })).toBe(1);
  });

  test("has no effect at zero", () => {
    expect(preferred(answers, { textMessages: 0, messages: 3 })).toBe(17);
  });
});

describe("a tail of open rounds", () => {
  const open = [...anExchange("One.", "1"), aUserMessage("Two."), ...roundsOf("a", "b", "c")];

  test("begins at the newest rounds of the open turn", () => {
    expect([1, 2].map((openRounds) => preferred(open, { openRounds }))).toEqual([7, 5]);
  });

  test("is the whole turn, with its request, if the turn has no more rounds", () => {
    expect([3, 4].map((openRounds) => preferred(open, { openRounds }))).toEqual([2, 2]);
    expect(preferred([...open, aUserMessage("Three.")], { openRounds: 1 })).toBe(9);
  });

  test("counts only rounds that call tools", () => {
    const chatty = [...open.slice(0, 5), anAssistantMessage("Going on."), ...open.slice(5)];
    expect([1, 2, 3].map((openRounds) => preferred(chatty, { openRounds }))).toEqual([8, 6, 2]);
  });

  test("overrides the other measures", () => {
    expect(preferred(open, { openRounds: 1, messages: 8, exchanges: 2, ratio: 1 })).toBe(7);
  });

  test("is empty in an empty view", () => {
    expect(preferred([], { openRounds: 2 })).toBe(0);
  });
});

describe("the fallback tail", () => {
  const turns = [...anExchange("One.", "1"), ...anExchange("Two.", "2"), ...anExchange("q".repeat(384), "3")];

  test("applies only if the other measures leave nothing to fold", () => {
    expect(preferred(turns, { messages: 4, otherwiseTokens: 50 })).toBe(2);
    expect(preferred(turns, { messages: 6, otherwiseTokens: 50 })).toBe(5);
    expect(preferred(turns, { messages: 6 })).toBe(0);
  });

  test("is the more inclusive of tokens and exchanges", () => {
    expect(preferred(turns, { messages: 6, otherwiseTokens: 50, otherwiseExchanges: 2 })).toBe(2);
    expect(preferred(turns, { messages: 6, otherwiseTokens: 106, otherwiseExchanges: 0 })).toBe(4);
  });
});

describe("a tail with a given number of messages", () => {
  test("overrides every measure of the policy", () => {
    expect(preferred(answers, { messages: 12, exchanges: 2 }, 3)).toBe(17);
    expect(preferred(answers, { openRounds: 1 }, 3)).toBe(17);
    expect(preferred(answers, { messages: 12 }, 0)).toBe(20);
  });

  test("splits no round", () => {
    expect(preferred([aUserMessage("Look."), ...roundsOf("a", "b")], { messages: 5 }, 1)).toBe(3);
  });
});
