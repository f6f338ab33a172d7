/**
 * Scores summaries by code on the corpus: of every marked phrase, the share of its words that stand in one line of the
 * summary. Each conversation is summarised in several sizes, in two folds of which code or a model wrote the first, and with
 * instructions.
 */
import { summarizeOffline } from "../../../src/core/summary/offline/summarize-offline.ts";
import { ASPECTS, type Aspect, type CorpusText, type Expectation, readCorpus } from "./corpus.ts";

const SIZES = [100, 170, 280, 450];
const FOLD_TOKENS = 260;
const INSTRUCTIONS = "Keep what was said about money, rent and prices.";

export type Scores = Readonly<Record<Aspect | "all", number>>;

export interface ScoredText {
  readonly name: string;
  readonly scores: Scores;
}

export function scoreCorpus(corpus: readonly CorpusText[] = readCorpus()): readonly ScoredText[] {
  return corpus.map((text) => ({ name: text.name, scores: scoreText(text) }));
}

/** The mean over all conversations. */
export function meanScores(scored: readonly ScoredText[]): Scores {
  return scoresOf((aspect) => mean(scored.map(({ scores }) => scores[aspect])));
}

function scoreText({ messages, expected }: CorpusText): Scores {
  const half = Math.ceil(messages.length / 2);
  const previous = summarizeOffline(messages.slice(0, half), { budgetTokens: FOLD_TOKENS });
  const byModel = { ...previous, strategy: "brief" as const, lines: [] };
  const summaries = [
    ...SIZES.map((budgetTokens) => summarizeOffline(messages, { budgetTokens })),
    summarizeOffline(messages.slice(half), { budgetTokens: FOLD_TOKENS, previous }),
    summarizeOffline(messages.slice(half), { budgetTokens: FOLD_TOKENS, previous: byModel }),
    summarizeOffline(messages, { budgetTokens: FOLD_TOKENS, instructions: INSTRUCTIONS }),
  ].map(({ text }) => text.split("\n").map(wordsOf));
  return scoresOf((aspect) => {
    const wanted = expected.filter((each) => aspect === "all" || each.aspect === aspect);
    return mean(summaries.map((lines) => mean(wanted.map((each) => shareKept(each, lines)))));
  });
}

function scoresOf(score: (aspect: Aspect | "all") => number): Scores {
  const entries = [...ASPECTS, "all" as const].map((aspect) => [aspect, round(score(aspect))]);
  return Object.fromEntries(entries) as Scores;
}

function shareKept({ text }: Expectation, lines: readonly ReadonlySet<string>[]): number {
  const words = [...wordsOf(text)];
  return Math.max(0, ...lines.map((line) => words.filter((word) => line.has(word)).length / words.length));
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number): number {
  return Math.round(value * 100_000) / 100_000;
}
