import { beforeEach, describe, expect, test } from "vitest";
import { fit as fitHistory } from "../src/compose.ts";
import { readMessages } from "../src/core/message/read-messages.ts";
import { validate } from "../src/core/prompt/validate/validate.ts";
import { verifySummary } from "../src/core/summary/verify/verify-summary.ts";
import type { FitState } from "../src/engine/fit-state.ts";
import { type SeededRandom, seededRandom } from "../src/testing/seeded-random.ts";
import { shows } from "../src/testing/shows.ts";
import { readTauBench, skipWithoutData } from "./support/real-logs.ts";

const SAID = [
  "The price must stay below 4711 euros",
  "We decided to use Postgres 17",
  "TODO: write to Ana about invoice-88",
  "The ledger account is acc-7731",
  "I fixed the parser in src/parse.ts",
  "Which port does the server listen on",
  "The harbour was measured on 2024-05-03",
  "Never restart the ledger while invoices are being written",
];
const FILLER = "the tide came in and went out again, as it does here ";

/** Talk and tool rounds in OpenAI's shape. */
function makeHistory(random: SeededRandom, turns: number): readonly object[] {
  return Array.from({ length: turns }, (_, index) => {
    const sentence = `${random.pick(SAID)}, said in turn ${index} of ward-${random.integer(90)}.`;
    const id = `call_${index}`;
    const call = { name: "read_file", arguments: JSON.stringify({ path: `src/part-${random.integer(40)}.ts` }) };
    const round = [
      { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: call }] },
      {
        role: "tool",
        tool_call_id: id,
        content: `const value${index} = ${random.integer(9_000)}; ${FILLER.repeat(4)}`,
      },
    ];
    return [
      { role: "user", content: `${sentence} ${FILLER.repeat(random.integer(6))}` },
      ...(random.integer(2) === 0 ? round : []),
      { role: "assistant", content: `Done with turn ${index}. ${FILLER.repeat(random.integer(8))}` },
    ];
  }).flat();
}

const coverOf = (messages: readonly unknown[]) => {
  const contents = messages.map((message) => Object(message).content);
  const index = contents.findIndex((each) => typeof each === "string" && each.startsWith("[Summary of the "));
  const [, count = "0", text = ""] =
    /^\[Summary of the (\d+) earlier messages\]\n(.*)$/su.exec(contents[index] ?? "") ?? [];
  return { count: Number(count), text, shown: messages.length - index - 1 };
};

interface Scores {
  readonly stateful: number;
  readonly fedBack: number;
}

/** Plays a history both ways, and says how faithful the last summary of each is to what it stands for. */
async function playBoth(history: readonly object[], budgetTokens: number): Promise<Scores | undefined> {
  const options = { budgetTokens, counter: "estimate" } as const;
  let state: FitState | undefined;
  let list: object[] = [];
  let given: object[] = [];
  let scores: Scores | undefined;
  const systems = history.filter((message) => Object(message).role === "system").length;
  for (let from = 0; from < history.length; from += 3) {
    const news = history.slice(from, from + 3);
    given = [...given, ...news];
    const stateful = await fitHistory(given, { ...options, state });
    state = stateful.state;
    const fed = await fitHistory([...list, ...news], options);
    list = JSON.parse(JSON.stringify(fed.messages)) as object[];
    const [whole, back] = [coverOf(stateful.messages), coverOf(list)];
    expect(fed.report.tokens).toBeLessThanOrEqual(budgetTokens);
    expect(validate(list, "openai")).toEqual([]);
    if (whole.count === 0 || back.count === 0 || fed.report.volatileBlocks > 0) continue;
    // Nothing is lost to the count, whatever was folded when.
    expect(back.count + back.shown + systems).toBe(given.length);
    const { messages } = readMessages(given);
    const scoreOf = ({ text, count }: typeof back) => verifySummary(text, messages.slice(0, count + systems)).score;
    if (from + 6 > history.length) scores = { stateful: scoreOf(whole), fedBack: scoreOf(back) };
  }
  return scores;
}

function expectNear(all: readonly (Scores | undefined)[]): void {
  const scores = all.filter((each) => each !== undefined);
  const mean = (key: keyof Scores) => scores.reduce((sum, each) => sum + each[key], 0) / scores.length;
  expect(scores.length).toBeGreaterThan(2);
  expect(mean("stateful") - mean("fedBack")).toBeLessThanOrEqual(0.02);
}

describe("fit that is fed its own output", () => {
  test(shows("X-33", "covers, counts and holds facts as a stateful fit over the originals does"), async () => {
    const all: (Scores | undefined)[] = [];
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      all.push(await playBoth(makeHistory(seededRandom(seed), 40), 1_000 + 500 * seed));
    }
    expectNear(all);
  });
});

describe("fit that is fed its own output, on real conversations", () => {
  beforeEach(skipWithoutData);

  test("counts and holds facts as a stateful fit over the originals does", async () => {
    const all: (Scores | undefined)[] = [];
    for (const { items } of readTauBench()) {
      if (items.length < 30 || all.length >= 8) continue;
      all.push(await playBoth(items as readonly object[], 4_000));
    }
    expectNear(all);
  });
});
