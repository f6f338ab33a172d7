/**
 * Properties of `fit` over a growing history: a history that fits is unchanged, every message is counted with and
 * without the state of the previous call, and prompts between two folds share their beginning.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FitOptions, fit as fitHistory } from "../src/compose.ts";
import { PalimpsestError } from "../src/core/errors.ts";
import type { Message } from "../src/core/message/message.ts";
import { PROVIDERS } from "../src/core/prompt/provider.ts";
import { renderPrompt } from "../src/core/prompt/render/render-prompt.ts";
import { validate } from "../src/core/prompt/validate/validate.ts";
import type { FitResult } from "../src/engine/fit/fit.ts";
import type { FitState } from "../src/engine/fit/fit-state.ts";
import { histories } from "../src/testing/generate-histories.ts";
import { shows } from "../src/testing/shows.ts";
import { expectEachFate } from "./support/expect-each-fate.ts";
import { propertyRuns } from "./support/property-runs.ts";

const OPTIONS = { counter: "estimate", format: "palimpsest" } as const;
const MUCH = 10_000_000;
const MAX_MESSAGES = 40;

/** Long enough to be folded several times. */
const conversations = fc
  .tuple(histories({ longestCharacters: 600 }), fc.integer({ min: 2, max: 4 }))
  .map(([history, times]) => Array.from({ length: times }, (_, round) => renamed(history, round)).flat())
  .map((history) => history.slice(0, MAX_MESSAGES));

const budgets = fc.integer({ min: 250, max: 1_500 });
/** Only the newest calls are checked, because each check reads the whole history. */
const CALLS = 10;

describe("fit over a growing history", () => {
  test(shows("X-33", "returns a history unchanged if it fits exactly, to the token"), async () => {
    const property = fc.asyncProperty(histories({ longestCharacters: 600 }), async (history) => {
      const whole = await fitHistory(history, { ...OPTIONS, budgetTokens: MUCH });
      const fitted = await fitHistory(history, { ...OPTIONS, budgetTokens: whole.report.tokens });
      expect(fitted.messages).toEqual(whole.messages);
      expect(fitted.report.compactions).toEqual([]);
    });
    await fc.assert(property, { numRuns: propertyRuns(10), endOnFailure: true });
  });

  test("returns prompts that share their beginning between two folds, each call without a state", async () => {
    const property = fc.asyncProperty(conversations, budgets, async (history, budgetTokens) => {
      let before: FitResult<Message> | undefined;
      for (let length = Math.max(1, history.length - CALLS); length <= history.length; length += 1) {
        const fitted = await tryFit(history.slice(0, length), { ...OPTIONS, budgetTokens });
        if (before !== undefined && fitted !== undefined && isContinued(before, fitted, length)) {
          const durable = unitsOf(before.messages).slice(0, -before.report.volatileBlocks || undefined);
          expect(unitsOf(fitted.messages).slice(0, durable.length)).toEqual(durable);
        }
        before = fitted;
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(10), endOnFailure: true });
  });

  test("fits the budget, is valid for every provider, and reports each message's fate, with and without a state", async () => {
    const property = fc.asyncProperty(conversations, budgets, fc.integer({ min: 3, max: 9 }), async (...given) => {
      const [history, budgetTokens, step] = given;
      let state: FitState | undefined;
      for (let length = step; length <= history.length; length += step) {
        const list = history.slice(0, length);
        const stateless = await tryFit(list, { ...OPTIONS, budgetTokens });
        const stateful = await tryFit(list, { ...OPTIONS, budgetTokens, state });
        if (stateless === undefined || stateful === undefined) return;
        state = JSON.parse(JSON.stringify(stateful.state)) as FitState;
        for (const fitted of [stateless, stateful]) {
          expect(fitted.report.tokens).toBeLessThanOrEqual(budgetTokens);
          expect(findComplaints(fitted.messages)).toEqual([]);
          expectEachFate(fitted, length);
        }
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(20), endOnFailure: true });
  });

  test("returns prompts that share their beginning between two folds, each call with the previous state", async () => {
    const property = fc.asyncProperty(conversations, budgets, async (history, budgetTokens) => {
      let before: FitResult<Message> | undefined;
      for (let length = 1; length <= history.length; length += 1) {
        const fitted = await tryFit(history.slice(0, length), { ...OPTIONS, budgetTokens, state: before?.state });
        if (before !== undefined && fitted !== undefined && isContinued(before, fitted, length)) {
          const durable = unitsOf(before.messages).slice(0, -before.report.volatileBlocks || undefined);
          expect(unitsOf(fitted.messages).slice(0, durable.length)).toEqual(durable);
        }
        before = fitted;
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(10), endOnFailure: true });
  });
});

function renamed(history: readonly Message[], round: number): readonly Message[] {
  return history.map((message) => ({ ...message, id: `${message.id}-${round}` }));
}

async function tryFit(history: readonly Message[], options: FitOptions): Promise<FitResult<Message> | undefined> {
  return fitHistory(history, options).catch((error: unknown) => {
    if (error instanceof PalimpsestError && error.code === "does-not-fit") return undefined;
    throw error;
  });
}

/** Returns true if the newest item caused no fold, and the previous call had no compaction for that call only. */
function isContinued(before: FitResult<Message>, { report }: FitResult<Message>, length: number): boolean {
  return !isPassing(before) && report.compactions.every(({ atItem }) => atItem < length);
}

function isPassing({ report }: FitResult<Message>): boolean {
  return report.compactions.some(({ isRecorded }) => !isRecorded);
}

function unitsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ role, parts }) => parts.map((part) => JSON.stringify([role, part])));
}

function findComplaints(messages: readonly Message[]): readonly unknown[] {
  return PROVIDERS.flatMap((provider) =>
    validate(renderPrompt({ instructions: undefined, messages, provider }), provider),
  );
}
