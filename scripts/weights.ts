/**
 * Shows which weights of a summary affect the quality corpus: `npm run weights [by]` raises each by 0.3 or the given
 * number, and prints the change of the score. Weights without an effect are listed at the end.
 */
import * as weights from "../src/core/summary/weights.ts";
import { changeWeight } from "../test/support/summary-quality/change-weight.ts";
import { readCorpus } from "../test/support/summary-quality/corpus.ts";
import { meanScores, scoreCorpus } from "../test/support/summary-quality/score.ts";

const by = Number(process.argv[2] ?? 0.3);
const corpus = readCorpus();
const before = scoreCorpus(corpus);
const unnoticed: string[] = [];
for (const [group, table] of Object.entries<Record<string, number>>(weights)) {
  for (const [key, value] of Object.entries(table)) {
    const restore = changeWeight(table, key, by);
    const after = scoreCorpus(corpus);
    restore();
    const texts = after.filter(({ scores }, place) => scores.all !== before[place]?.scores.all).length;
    const change = meanScores(after).all - meanScores(before).all;
    const name = `${group}.${key} = ${value}`;
    if (texts === 0) unnoticed.push(name);
    else console.log(`${name}: ${texts} texts, score ${change >= 0 ? "+" : ""}${change.toFixed(5)}`);
  }
}
console.log(`\nRaised by ${by} without any change of a score (${unnoticed.length}):\n  ${unnoticed.join("\n  ")}`);
