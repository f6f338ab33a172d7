/**
 * Real coding sessions: a summary fills its budget, is supported by its source and contains every protected fact. The
 * names that the agent uses next are in it more often than in a longer tail.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { everyNth } from "../../../../test/support/property-runs.ts";
import { type ClaudeCodeLog, readClaudeCode, skipWithoutData } from "../../../../test/support/real-logs.ts";
import { decodeAnthropic } from "../../message/formats/anthropic-decode.ts";
import type { Message } from "../../message/message.ts";
import { repairMessages } from "../../message/repair-messages.ts";
import { runSteps } from "../../tokens/count-text.ts";
import { countTokens } from "../../tokens/count-tokens.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import type { SummaryRecord } from "../record/record.ts";
import { messageTexts } from "../text/message-texts.ts";
import { verifySummary } from "../verify/verify-summary.ts";
import { summarizeOffline, summarizeOfflineInSteps } from "./summarize-offline.ts";

const BUDGET = 4_000;
const TAIL = 4_000;
const CUT_EVERY = 40_000;
const NEXT_CALLS = 30;

describe("summarizeOffline on real coding sessions", () => {
  beforeEach(skipWithoutData);

  test("uses at least 95 % of its budget, makes no unsupported claim, and contains every protected fact", () => {
    for (const { name, messages } of sessions(everyNth(readClaudeCode(), 24))) {
      for (const budgetTokens of [200, 300, BUDGET]) {
        if (countTokens(messages) < budgetTokens * 8) continue;
        const { text } = runSteps(summarizeOfflineInSteps(messages, { budgetTokens }));
        const { missing, unsupported } = verifySummary(text, messages);
        expect({ name, missing, unsupported }).toEqual({ name, missing: [], unsupported: [] });
        expect(countTokens(text)).toBeLessThanOrEqual(budgetTokens);
        expect(countTokens(text)).toBeGreaterThanOrEqual(budgetTokens * 0.95);
      }
    }
  });

  test("contains more of the names that the next thirty tool calls use than a longer tail does, even after folds", () => {
    const found = { all: 0, inTail: 0, inSummary: 0, inChain: 0 };
    for (const { messages } of sessions(everyNth(readClaudeCode(), 16))) {
      let previous: SummaryRecord | undefined;
      let covered = 0;
      for (const cut of cutsOf(messages)) {
        const tailStart = startOfTail(messages, cut, TAIL);
        previous = summarizeOffline(messages.slice(covered, tailStart), { budgetTokens: BUDGET, previous });
        covered = tailStart;
        const { text } = runSteps(summarizeOfflineInSteps(messages.slice(0, tailStart), { budgetTokens: BUDGET }));
        const tail = namesOf(messages.slice(tailStart, cut));
        const summary = namesIn([text]);
        const chain = namesIn([previous.text]);
        const longTail = namesOf(messages.slice(startOfTail(messages, cut, TAIL + BUDGET), cut));
        for (const name of needed(messages, cut)) {
          found.all += 1;
          if (longTail.has(name)) found.inTail += 1;
          if (tail.has(name) || summary.has(name)) found.inSummary += 1;
          if (tail.has(name) || chain.has(name)) found.inChain += 1;
        }
      }
    }
    expect(found.all).toBeGreaterThan(100);
    expect(found.inSummary / found.all).toBeGreaterThan(0.65);
    expect(found.inChain / found.all).toBeGreaterThan(0.6);
    expect(found.inTail / found.all).toBeLessThan(0.55);
  });
});

function* sessions(
  logs: Iterable<ClaudeCodeLog>,
): Generator<{ readonly name: string; readonly messages: readonly Message[] }> {
  for (const { name, items, at } of logs) {
    const decoded = items.flatMap((item, index) => {
      const messages = decodeAnthropic(item, { path: `messages[${index}]`, fallbackId: `i${index}` });
      return messages.map((message) => ({ ...message, saidAt: at[index] }));
    });
    yield { name, messages: repairMessages(decoded).messages };
  }
}

function cutsOf(messages: readonly Message[]): readonly number[] {
  const cuts: number[] = [];
  let tokens = 0;
  for (const [index, message] of messages.entries()) {
    tokens += countTokens(message);
    if (tokens < CUT_EVERY || message.role === "assistant") continue;
    cuts.push(index + 1);
    tokens = 0;
  }
  return cuts;
}

function startOfTail(messages: readonly Message[], cut: number, mostTokens: number): number {
  let tokens = 0;
  let start = cut;
  while (start > 0 && tokens <= mostTokens) {
    start -= 1;
    tokens += countTokens(messages[start] ?? "");
  }
  return start + 1;
}

/** Names that the next tool inputs use and that occur before the cut, but not between the cut and this use. */
function needed(messages: readonly Message[], cut: number): ReadonlySet<string> {
  const before = namesOf(messages.slice(0, cut));
  const since = new Set<string>();
  const names = new Set<string>();
  let calls = 0;
  for (const message of messages.slice(cut)) {
    for (const name of namesIn(messageTexts(message).inputs)) if (before.has(name) && !since.has(name)) names.add(name);
    for (const name of namesOf([message])) since.add(name);
    calls += message.parts.filter(({ type }) => type === "tool-call").length;
    if (calls >= NEXT_CALLS) break;
  }
  return names;
}

function namesOf(messages: readonly Message[]): ReadonlySet<string> {
  return namesIn(messages.flatMap((message) => Object.values(messageTexts(message)).flat()));
}

function namesIn(texts: readonly string[]): ReadonlySet<string> {
  const claims = extractClaims(texts.join("\n"));
  const named = claims.filter(({ kind, text }) =>
    kind === "number" ? /\d{3}/.test(text) : kind !== "time" && kind !== "date",
  );
  return new Set(named.map(({ kind, keys }) => `${kind}:${keys[0]}`));
}
