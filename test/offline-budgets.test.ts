/**
 * Budgets of offline summaries, counted by a provider's tokenizer, on real conversations and on a generated one: filled
 * to at least 95 % if the source has enough content, never exceeded, and every statement has its source.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { readMessages } from "../src/core/message/formats/read-messages.ts";
import type { Message } from "../src/core/message/message.ts";
import { summarizeOffline } from "../src/core/summary/offline/summarize-offline.ts";
import { verifySummary } from "../src/core/summary/verify/verify-summary.ts";
import { countTokens } from "../src/core/tokens/count-tokens.ts";
import { loadCounter } from "../src/counters/load-counter.ts";
import { longTalk } from "./support/long-talk.ts";
import { readTauBench, skipWithoutData } from "./support/real-logs.ts";

const counter = await loadCounter("o200k");
const BUDGETS = [200, 260, 400, 1_000];

function halves(messages: readonly Message[]): readonly [readonly Message[], readonly Message[]] {
  const middle = Math.floor(messages.length / 2);
  return [messages.slice(0, middle), messages.slice(middle)];
}

/** Instructions are not summarized. */
function countSummarizable(messages: readonly Message[]): number {
  return countTokens(
    messages.filter(({ role }) => role !== "system"),
    { counter },
  );
}

function checkBudget(messages: readonly Message[], budgetTokens: number): void {
  const [first, second] = halves(messages);
  const before = summarizeOffline(first, { budgetTokens, counter });
  for (const [stretch, previous] of [[messages, undefined] as const, [second, before] as const]) {
    if (countSummarizable(stretch) < 2.2 * budgetTokens) continue;
    const record = summarizeOffline(stretch, { budgetTokens, counter, previous });
    const tokens = countTokens(record.text, { counter });
    expect(tokens).toBeLessThanOrEqual(budgetTokens);
    expect(tokens, record.text).toBeGreaterThanOrEqual(Math.floor(0.95 * budgetTokens));
    expect(verifySummary(record, stretch, { previous, findsOpposites: true }).unsupported).toEqual([]);
  }
}

describe("budgets counted by a provider's tokenizer", () => {
  test("are filled to at least 95 % by summaries of long work", () => {
    for (const budgetTokens of [...BUDGETS, 4_000]) checkBudget(longTalk({ turns: 80 }), budgetTokens);
  });
});

describe("budgets on real service calls", () => {
  beforeEach(skipWithoutData);

  test("are filled to at least 95 %, by a first summary and by a fold", () => {
    for (const [index, { items }] of [...readTauBench()].entries()) {
      if (index % 10 !== 0) continue;
      const { messages } = readMessages(items as Parameters<typeof readMessages>[0]);
      for (const budgetTokens of BUDGETS) checkBudget(messages, budgetTokens);
    }
  });
});
