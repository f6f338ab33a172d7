/**
 * Shows which weights of a summary affect the quality corpus: `npm run weights` raises each (`raiseWeight` determines
 * by how much), and prints how many conversations get a different score and the change in the mean. Fails if a weight
 * has no effect. `npm run weights -- --record` writes the scores and a conversation for each weight to recorded.ts.
 */
import { writeFileSync } from "node:fs";
import { WEIGHTS } from "../test/support/summary-quality/change-weight.ts";
import { type CorpusText, readCorpus } from "../test/support/summary-quality/corpus.ts";
import { isSameScore, meanScores, scoreText } from "../test/support/summary-quality/score.ts";

const RECORD = new URL("../test/support/summary-quality/recorded.ts", import.meta.url);
const corpus = readCorpus();
/** The shortest first: the test scores the recorded conversation of each weight, and should be fast. */
const bySize = corpus.toSorted((left, right) => sizeOf(left) - sizeOf(right));
const before = bySize.map(scoreText);
const noticed: [weight: string, conversation: string][] = [];
const unnoticed: string[] = [];

for (const { name, value, raise } of WEIGHTS) {
  const restore = raise();
  const after = bySize.map(scoreText);
  restore();
  const texts = bySize.filter((_, place) => !isSameScore(after[place], before[place]));
  const change = meanScores(after).all - meanScores(before).all;
  const [first] = texts;
  if (first === undefined) unnoticed.push(`${name} = ${value}`);
  else noticed.push([name, first.name]);
  console.log(`${name} = ${value}: ${texts.length} texts, score ${change >= 0 ? "+" : ""}${change.toFixed(5)}`);
}
console.log(`\nWeights without an effect: ${unnoticed.length === 0 ? "none" : unnoticed.join(", ")}`);
process.exitCode = unnoticed.length === 0 ? 0 : 1;

if (process.argv.includes("--record")) {
  const scores = Object.fromEntries(bySize.map(({ name }, place) => [name, before[place]]));
  const source = [
    "/** Measured figures, written by `npm run weights -- --record`. */",
    'import type { Scores } from "./score.ts";',
    "",
    "/** By conversation. */",
    `export const SCORES: Readonly<Record<string, Scores>> = ${writeTable(scores)};`,
    "",
    "/** By weight, a short conversation whose score changes when the weight is raised. */",
    `export const NOTICED_BY: Readonly<Record<string, string>> = ${writeTable(Object.fromEntries(noticed))};`,
    "",
  ];
  writeFileSync(RECORD, source.join("\n"));
}

function sizeOf({ messages }: CorpusText): number {
  return JSON.stringify(messages).length;
}

function writeTable(table: Readonly<Record<string, unknown>>): string {
  const rows = Object.entries(table).map(([key, value]) => `  ${JSON.stringify(key)}: ${writeValue(value)},`);
  return `{\n${rows.join("\n")}\n}`;
}

function writeValue(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, field]) => `${key}: ${field}`)
    .join(", ")} }`;
}
