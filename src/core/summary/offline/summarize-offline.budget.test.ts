/**
 * Measures how much of its budget a summary uses, on generated conversations that are at least twice as large: people,
 * agents, code, and a script without spaces.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { type SeededRandom, seededRandom } from "../../../testing/seeded-random.ts";
import type { Message } from "../../message/message.ts";
import { countTokens } from "../../tokens/count-tokens.ts";
import type { Counter } from "../../tokens/counter.ts";
import { estimate } from "../../tokens/estimate.ts";
import { charsOverFour, wordEstimate } from "../../tokens/rough-counters.ts";
import { summarizeOffline } from "./summarize-offline.ts";

/** Counts three characters as a token, unlike any counter of the package. */
const thirds: Counter = {
  id: "thirds@1",
  exact: false,
  messageOverheadTokens: 2,
  countWindow: (text) => Math.ceil(text.length / 3),
};
const COUNTERS = [estimate, charsOverFour, wordEstimate, thirds];

const SYLLABLES = "ra mo ten li ka su ver da pol en gri sha to bu ne fi".split(" ");

function aWord(random: SeededRandom): string {
  return Array.from({ length: 2 + random.integer(3) }, () => random.pick(SYLLABLES)).join("");
}

function aSentence(random: SeededRandom): string {
  const words = Array.from({ length: 6 + random.integer(12) }, () => aWord(random));
  if (random.integer(3) === 0) words.push(`src/${aWord(random)}/${aWord(random)}.ts`);
  if (random.integer(4) === 0) words.push(String(random.integer(100_000)));
  return `${words.join(" ")}.`;
}

function aText(random: SeededRandom, sentences: number): string {
  return Array.from({ length: 1 + random.integer(sentences) }, () => aSentence(random)).join(" ");
}

type Turn = (random: SeededRandom, index: number) => readonly Message[];

const said = (id: string, role: "user" | "assistant", text: string): Message => {
  return { id, role, parts: [{ type: "text", text }] };
};

const TURNS: Readonly<Record<string, Turn>> = {
  talk: (random, index) => [said(`m${index}`, index % 2 === 0 ? "user" : "assistant", aText(random, 4))],
  meeting: (random, index) => [
    { ...said(`m${index}`, "user", aText(random, 6)), name: random.pick(["Ada", "Ben", "Cem"]), saidAt: index * 9e6 },
  ],
  agent: (random, index) => [
    ...(index % 6 === 0 ? [said(`u${index}`, "user", aText(random, 3))] : []),
    {
      id: `a${index}`,
      role: "assistant",
      parts: [
        { type: "text", text: aText(random, 2) },
        { type: "tool-call", callId: `c${index}`, tool: "Read", input: { path: `lib/${aWord(random)}.ts` } },
      ],
    },
    {
      id: `t${index}`,
      role: "tool",
      parts: [
        {
          type: "tool-result",
          callId: `c${index}`,
          output: { type: "text", text: Array.from({ length: 12 }, () => aSentence(random)).join("\n") },
          failed: false,
        },
      ],
    },
  ],
  code: (random, index) => {
    const lines = Array.from(
      { length: 9 },
      () => `  const ${aWord(random)} = ${aWord(random)}(${random.integer(999)});`,
    );
    return [said(`m${index}`, index % 2 === 0 ? "user" : "assistant", `\`\`\`ts\n${lines.join("\n")}\n\`\`\``)];
  },
  spaceless: (random, index) => {
    const character = (): string => String.fromCharCode(0x4e00 + random.integer(2_000));
    const clause = (): string => Array.from({ length: 8 + random.integer(20) }, character).join("");
    return [said(`m${index}`, "user", Array.from({ length: 4 }, () => `${clause()}${random.integer(900)}。`).join(""))];
  },
};

interface Order {
  readonly seed: number;
  readonly tokens: number;
  readonly counter: Counter;
}

function aConversation(turn: Turn, { seed, tokens, counter }: Order): readonly Message[] {
  const random = seededRandom(seed);
  const messages: Message[] = [];
  for (let index = 0, sum = 0; sum < tokens; index += 1) {
    const added = turn(random, index);
    messages.push(...added);
    // Counters add tokens for each message that no summary can use.
    sum += countTokens(added, { counter }) - added.length * counter.messageOverheadTokens;
  }
  return messages;
}

/** Budgets from 200 to 20,000 tokens, with fewer large ones because those are slow. */
const budgets = fc.integer({ min: 0, max: 1_000 }).map((place) => Math.round(200 * 100 ** ((place / 1_000) ** 2)));

describe.each(Object.keys(TURNS))("the budget of a summary of %s", (kind) => {
  test("is at least 95 % used and never exceeded, with any counter, with and without a previous summary", () => {
    const turn = TURNS[kind] ?? (() => []);
    const counters = fc.constantFrom(...COUNTERS);
    fc.assert(
      fc.property(fc.nat(), budgets, counters, fc.boolean(), (seed, budgetTokens, counter, isFolded) => {
        const earlier = aConversation(turn, { seed: seed + 1, tokens: 1.5 * budgetTokens, counter });
        const before = earlier.map((message) => ({ ...message, id: `before-${message.id}` }));
        const previous = isFolded ? summarizeOffline(before, { budgetTokens, counter }) : undefined;
        const messages = aConversation(turn, { seed, tokens: 2.2 * budgetTokens, counter });
        const record = summarizeOffline(messages, { budgetTokens, counter, previous });
        const tokens = countTokens(record.text, { counter });
        expect(tokens).toBeLessThanOrEqual(budgetTokens);
        expect(tokens).toBeGreaterThanOrEqual(Math.floor(0.95 * budgetTokens));
        expect(record.tokensAfter).toBe(tokens);
      }),
      { numRuns: propertyRuns(3) },
    );
  });
});

describe("the budget of a summary of speech", () => {
  test("is filled by restoring words of compressed lines, unless sparing is set", () => {
    const random = seededRandom(7);
    const messages = Array.from({ length: 40 }, (_, index): Message => {
      const [first, second, third] = [aWord(random), aWord(random), aWord(random)];
      const text = `Well, you know, um, I I think that the the ${first} of the ${second} was, uh, put on a ${third}.`;
      return { ...said(`m${index}`, "user", text), name: index % 2 === 0 ? "Ada" : "Ben" };
    });
    const budgetTokens = Math.floor(countTokens(messages) * 0.42);
    const { text, tokensAfter } = summarizeOffline(messages, { budgetTokens });
    expect(tokensAfter).toBeGreaterThanOrEqual(0.95 * budgetTokens);
    expect(text).toMatch(/ of the /);
    expect(text).not.toMatch(/the the/);
    expect(summarizeOffline(messages, { budgetTokens, sparing: true }).tokensAfter).toBeLessThan(tokensAfter);
  });
});
