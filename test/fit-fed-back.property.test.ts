import { beforeEach, describe, expect, test } from "vitest";
import { fit as fitHistory } from "../src/compose.ts";
import { readMessages } from "../src/core/message/formats/read-messages.ts";
import { validate } from "../src/core/prompt/validate/validate.ts";
import { verifySummary } from "../src/core/summary/verify/verify-summary.ts";
import type { FitState } from "../src/engine/fit/fit-state.ts";
import { seededRandom } from "../src/testing/seeded-random.ts";
import { shows } from "../src/testing/shows.ts";
import { everyNth } from "./support/property-runs.ts";
import { readTauBench, skipWithoutData } from "./support/real-logs.ts";
import { makeHistory, stepsOf } from "./support/tool-histories.ts";

const coverOf = (messages: readonly unknown[]) => {
  const contents = messages.map((message) => Object(message).content);
  const index = contents.findIndex((each) => typeof each === "string" && each.startsWith("[Summary of the "));
  const [, count = "0", text = ""] =
    /^\[Summary of the (\d+) earlier messages\]\n(.*)$/su.exec(contents[index] ?? "") ?? [];
  return { count: Number(count), text, shown: messages.length - index - 1 };
};

interface PlayResult {
  /** The share of steps after which both runs cover the same messages. */
  readonly same: number;
  /** How faithful the last summary of each run is to its source messages. */
  readonly stateful: number;
  readonly fedBack: number;
}

/** Runs a history with a state and without. */
async function playBoth(history: readonly object[], budgetTokens: number): Promise<PlayResult | undefined> {
  const options = { budgetTokens, counter: "estimate" } as const;
  let state: FitState | undefined;
  let list: object[] = [];
  let given: object[] = [];
  let [steps, same] = [0, 0];
  const systems = history.filter((message) => Object(message).role === "system").length;
  for (const news of stepsOf(history, 3)) {
    given = [...given, ...news];
    const stateful = await fitHistory(given, { ...options, state });
    // Every second state is restored from JSON.
    state = given.length % 2 === 0 ? stateful.state : (JSON.parse(JSON.stringify(stateful.state)) as FitState);
    const input = [...list, ...news];
    const fed = await fitHistory(input, options);
    const unlimited = await fitHistory(input, { ...options, budgetTokens: 1_000_000 });
    if (unlimited.report.tokens <= budgetTokens) expect(fed.messages).toEqual(unlimited.messages);
    list = JSON.parse(JSON.stringify(fed.messages)) as object[];
    expect(fed.report.tokens).toBeLessThanOrEqual(budgetTokens);
    expect(validate(list, "openai")).toEqual([]);
    const [whole, back] = [coverOf(stateful.messages), coverOf(list)];
    // The count includes every message, whenever it was folded.
    for (const { count, shown } of [whole, back]) if (count > 0) expect(count + shown + systems).toBe(given.length);
    if (whole.count === 0 && back.count === 0) continue;
    steps += 1;
    if (whole.count === back.count) same += 1;
  }
  if (steps === 0) return undefined;
  const { messages } = readMessages(given);
  const scoreOf = (shown: readonly unknown[]) => {
    const { text, count } = coverOf(shown);
    return verifySummary(text, messages.slice(0, count + systems)).score;
  };
  const stateful = await fitHistory(given, { ...options, state });
  return { same: same / steps, stateful: scoreOf(stateful.messages), fedBack: scoreOf(list) };
}

function expectNear(all: readonly (PlayResult | undefined)[]): void {
  const played = all.filter((each) => each !== undefined);
  const mean = (key: keyof PlayResult) => played.reduce((sum, each) => sum + each[key], 0) / played.length;
  expect(played.length).toBeGreaterThan(2);
  expect(played.map(({ same }) => same)).toEqual(played.map(() => 1));
  expect(mean("stateful") - mean("fedBack")).toBeLessThanOrEqual(0.02);
}

describe("fit that is fed its own output", () => {
  test(
    shows(
      "X-33",
      "returns a fitting history unchanged; otherwise covers what fit with a state covers, in equally faithful summaries",
    ),
    async () => {
      const all: (PlayResult | undefined)[] = [];
      for (const seed of everyNth([1, 2, 3, 4, 5, 6], 2)) {
        all.push(await playBoth(makeHistory(seededRandom(seed), 40), 1_000 + 500 * seed));
      }
      expectNear(all);
    },
  );
});

describe("fit with a state from a call under another policy", () => {
  test.each([1, 2, 3])("counts every message that its summary covers (history %i)", async (seed) => {
    let state: FitState | undefined;
    let given: object[] = [];
    let counted = 0;
    for (const [step, news] of [...stepsOf(makeHistory(seededRandom(seed), 40), 3)].entries()) {
      given = [...given, ...news];
      const policy = Math.floor(step / 6) % 2 === 1 ? "windowed-sql" : undefined;
      const fitted = await fitHistory(given, { budgetTokens: 1_500, counter: "estimate", policy, state });
      state = fitted.state;
      const { count, shown } = coverOf(fitted.messages);
      if (count === 0 || policy !== undefined) continue;
      counted += 1;
      expect(count + shown).toBe(given.length);
    }
    expect(counted).toBeGreaterThan(5);
  });
});

describe("fit that is fed its own output, on real conversations", () => {
  beforeEach(skipWithoutData);

  test("returns a fitting history unchanged; otherwise covers what fit with a state covers, in equally faithful summaries", async () => {
    const all: (PlayResult | undefined)[] = [];
    for (const { items } of readTauBench()) {
      if (items.length < 30 || all.length >= 4) continue;
      all.push(await playBoth(items as readonly object[], 3_000));
    }
    expectNear(all);
  });
});
