/** How small `fit` makes a history above the budget: mostly 60 to 75 % of the budget, if there is enough to fold. */
import { describe, expect, test } from "vitest";
import { fit as fitHistory } from "../src/compose.ts";
import type { FitResult } from "../src/engine/fit/fit.ts";
import type { FitState } from "../src/engine/fit/fit-state.ts";
import { seededRandom } from "../src/testing/seeded-random.ts";
import { shows } from "../src/testing/shows.ts";
import {
  makeFileRounds,
  makeFileTurns,
  makeHistory,
  makeRepetitiveHistory,
  stepsOf,
} from "./support/tool-histories.ts";

interface Step {
  readonly given: readonly object[];
  readonly news: readonly object[];
  readonly before: FitResult<object> | undefined;
}

/** The list and the state that each kind of host passes to `fit`. */
const HOSTS: Readonly<Record<string, (step: Step) => readonly [readonly object[], FitState | undefined]>> = {
  "without a state": ({ given }) => [given, undefined],
  "with the previous state": ({ given, before }) => [given, before?.state],
  "fed back": ({ news, before }) => [[...(before?.messages ?? []), ...news], undefined],
};

/** A call without a state folds the whole history again, so the larger budget is tried only with a state or fed back. */
const budgetsOf = (host: string) => (host === "without a state" ? [2_000] : [2_000, 4_000]);

/** Returns the prompt's size after each fold, as a share of the budget. */
async function measureFolds(
  history: readonly object[],
  { host, budgetTokens }: { readonly host: string; readonly budgetTokens: number },
): Promise<readonly number[]> {
  const shares: number[] = [];
  let before: FitResult<object> | undefined;
  let given: readonly object[] = [];
  for (const news of stepsOf(history, 1)) {
    given = [...given, ...news];
    const [list, state] = HOSTS[host]?.({ given, news, before }) ?? [given, undefined];
    const fitted = await fitHistory(list, { budgetTokens, counter: "estimate", state });
    const last = fitted.report.compactions.at(-1);
    if (last !== undefined && last.atItem > list.length - news.length) shares.push(fitted.report.tokens / budgetTokens);
    before = fitted;
  }
  return shares;
}

const HISTORIES = {
  "talk with tools": [makeHistory(seededRandom(1), 28)],
  "repetitive text": [makeRepetitiveHistory(27)],
  "an agent that reads files": [makeFileRounds(34)],
};

describe("a fold of fit", () => {
  test.each(
    Object.keys(HOSTS).flatMap((host) =>
      Object.entries(HISTORIES).map(([name, histories]) => ({ host, name, histories })),
    ),
  )(shows("X-33", "mostly folds to 60 to 75 % of a small budget: $name, $host"), async ({ host, histories }) => {
    const shares: number[] = [];
    for (const history of histories)
      for (const budgetTokens of budgetsOf(host)) shares.push(...(await measureFolds(history, { host, budgetTokens })));
    const isMet = (share: number) => share >= 0.6 && share <= 0.75;
    expect(shares.length).toBeGreaterThan(4);
    expect(shares.filter(isMet).length / shares.length).toBeGreaterThanOrEqual(0.9);
    expect(Math.min(...shares)).toBeGreaterThan(0.55);
    expect(Math.max(...shares)).toBeLessThan(0.8);
  });
});

describe("a first fold of fit", () => {
  const budgetTokens = 10_000;
  const options = { budgetTokens, counter: "estimate" } as const;
  const countTokens = async (history: readonly object[]) =>
    (await fitHistory(history, { ...options, budgetTokens: 1_000_000 })).report.tokens;

  test.each([{ large: [900, 1_100] }, { large: [1_100, 900] }, { large: [20, 900, 20, 1_100] }])(
    shows("X-33", "covers no more than the first large exchange if that is enough: exchanges of $large lines"),
    async ({ large }) => {
      const isLarge = (lines: number) => lines > 20;
      const first = large.findIndex(isLarge);
      let lines = large;
      while ((await countTokens(makeFileTurns(lines))) <= budgetTokens) lines = [...lines, 20];
      const history = makeFileTurns(lines);
      const { report, messages } = await fitHistory(history, options);
      const later = await countTokens(history.slice(4 * (first + 1)));
      expect(later).toBeLessThan(0.7 * budgetTokens);
      expect(report.tokens).toBeGreaterThanOrEqual(later);
      expect(report.tokens).toBeLessThanOrEqual(0.75 * budgetTokens);

      // Later messages are appended until the next fold, and the result always fits.
      let before = messages;
      for (let turn = 0; turn < 20; turn += 2) {
        lines = [...lines, 20, 20];
        const fitted = await fitHistory(makeFileTurns(lines), options);
        expect(fitted.report.tokens).toBeLessThanOrEqual(budgetTokens);
        if (fitted.report.compactions.length === 1) expect(fitted.messages.slice(0, before.length)).toEqual(before);
        before = fitted.messages;
      }
    },
  );
});

describe("the smallest budget that a history fits in", () => {
  test.each([1, 6])(shows("X-33", "is a floor: every larger budget is enough (history %i)"), async (seed) => {
    const random = seededRandom(seed);
    const calls = ["a", "b", "c"].map((id) => ({
      id,
      type: "function",
      function: { name: "read_file", arguments: "{}" },
    }));
    const history: object[] = [
      { role: "system", content: "Answer briefly. ".repeat(6) },
      ...makeHistory(random, 20),
      { role: "user", content: "Read all three." },
      { role: "assistant", content: null, tool_calls: calls },
      ...calls.map(({ id }) => ({
        role: "tool",
        tool_call_id: id,
        content: `value ${random.integer(9_000)} `.repeat(120),
      })),
    ];
    const outcomes: string[] = [];
    for (let budgetTokens = 200; budgetTokens <= 320; budgetTokens += 12) {
      const outcome = await fitHistory(history, { budgetTokens, counter: "estimate" }).catch(({ code }) => `${code}`);
      if (typeof outcome !== "string") expect(outcome.report.tokens).toBeLessThanOrEqual(budgetTokens);
      outcomes.push(typeof outcome === "string" ? outcome : "fits");
    }
    const first = outcomes.indexOf("fits");
    expect(first).toBeGreaterThan(0);
    expect(outcomes.slice(first)).toEqual(outcomes.slice(first).map(() => "fits"));
  });
});
