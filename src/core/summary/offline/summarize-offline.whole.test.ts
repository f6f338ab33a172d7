/** A summary never cuts a path, a number or a symbol: each occurs in the source as a whole word. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { histories } from "../../../testing/generate-histories.ts";
import { seededRandom } from "../../../testing/seeded-random.ts";
import type { Message } from "../../message/message.ts";
import { summarizeOffline } from "./summarize-offline.ts";

const budgets = fc.oneof(fc.integer({ min: 24, max: 400 }), fc.integer({ min: 24, max: 8_000 }));

/** Joins all texts, numbers, keys and tool names of the messages. */
function sourceOf(messages: readonly Message[]): string {
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string" || typeof value === "number") texts.push(String(value));
    else if (typeof value === "object" && value !== null) {
      for (const [key, field] of Object.entries(value)) {
        texts.push(key);
        visit(field);
      }
    }
  };
  for (const { id: _, ...message } of messages) visit(message);
  return texts.join("\n");
}

const EXACT = /[\p{L}\p{N}_$@~./\\-]+/gu;
const WORD = /[\p{L}\p{N}_]/u;

/** Returns words with a digit, a slash, an underscore or a capital inside, without punctuation around them. */
function exactWords(text: string): readonly string[] {
  return (text.match(EXACT) ?? [])
    .map((run) => run.replace(/^[.~-]+|[./\\~-]+$/g, ""))
    .filter((run) => /\d|[/\\_]|\p{Ll}\p{Lu}/u.test(run));
}

function containsWhole(source: string, word: string): boolean {
  for (let place = source.indexOf(word); place >= 0; place = source.indexOf(word, place + 1)) {
    const before = source.charAt(place - 1);
    const after = source.charAt(place + word.length);
    if (!WORD.test(before) && !WORD.test(after)) return true;
  }
  return false;
}

function cutWords(messages: readonly Message[], budgetTokens: number): readonly string[] {
  const undated = messages.map(({ saidAt: _, ...message }) => message);
  const source = `${sourceOf(undated)}\n0`;
  const { text } = summarizeOffline(undated, { budgetTokens });
  const lines = text.split("\n").filter((line) => line.startsWith("- "));
  return lines.flatMap((line) => exactWords(line.slice(2)).filter((word) => !containsWhole(source, word)));
}

test("summarizeOffline cuts no path, number or symbol of any history", () => {
  fc.assert(
    fc.property(histories({ maxTurns: 4, longestCharacters: 3_000 }), budgets, (messages, budgetTokens) => {
      expect(cutWords(messages, budgetTokens)).toEqual([]);
    }),
    { numRuns: propertyRuns() },
  );
});

/** Long lines of code and logs, without a place at which a line can be cut safely. */
function aCodeTalk(seed: number): readonly Message[] {
  const random = seededRandom(seed);
  const symbol = (): string =>
    `${random.pick(["load", "parse", "merge"])}${random.pick(["Row", "Page", "Key"])}${random.integer(999)}`;
  const code = (): string =>
    `const ${symbol()} = await ${symbol()}(src/${symbol()}/${symbol()}.ts, { limit: ${random.integer(1e6)} });`;
  const log = (): string =>
    `2024-05-${10 + random.integer(18)} 10:11:${10 + random.integer(49)} [${symbol()}] /var/log/${symbol()}.log:${random.integer(9_999)} took ${random.integer(900)}.${random.integer(99)}ms`;
  const lines = (line: () => string): string =>
    Array.from({ length: 1 + random.integer(12) }, line).join(random.pick(["\n", " ", "; "]));
  return Array.from({ length: 12 }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    parts: [{ type: "text", text: `Look at this:\n\`\`\`\n${lines(code)}\n\`\`\`\n${lines(log)}` }],
  }));
}

test("summarizeOffline cuts no symbol in long lines of code and logs", () => {
  fc.assert(
    fc.property(fc.nat(), budgets, (seed, budgetTokens) => {
      expect(cutWords(aCodeTalk(seed), budgetTokens)).toEqual([]);
    }),
    { numRuns: propertyRuns(10) },
  );
});
