/**
 * Scores summaries by code on the corpus. Each conversation is summarized in several sizes, in two folds of which code
 * or a model wrote the first, with instructions, and in the size of a prompt's summary.
 *
 * An aspect (facts, dates, names, words of the user) is the share of a marked phrase's words that are in one line of
 * the summary. `points` is the same share for the key points. `precision` is the share of the summary's words that
 * belong to a marked phrase, and `place` is how early marked phrases are in it, from 1 for the first word to 0.
 */
import { summarizeOffline } from "../../../src/core/summary/offline/summarize-offline.ts";
import type { SummaryRecord } from "../../../src/core/summary/record/record.ts";
import { summaryCap } from "../../../src/core/summary/record/trim-summary.ts";
import { ASPECTS, type Aspect, type CorpusText, type ExpectedWords } from "./corpus.ts";

const SIZES = [100, 170, 280, 360, 440, 520];
const FOLD_TOKENS = 260;
const WISHED_SIZES = [260, 360, 380];
const INSTRUCTIONS = "Keep what was said about money, rent and prices.";
const LIMITS = { maxTokens: 1_000, ratio: 0.04, smallTokens: 140 };
/** The size of a small prompt, and of one that is so large that its summary is capped. */
const PROMPT_TOKENS = [160, 18_000];

export const MEASURES = [...ASPECTS, "all", "points", "precision", "place"] as const;
export type QualityMeasure = (typeof MEASURES)[number];
export type Scores = Readonly<Record<QualityMeasure, number>>;

/** Returns the means over all conversations. */
export function meanScores(scores: readonly Scores[]): Scores {
  return scoresOf((measure) => round(mean(scores.map((each) => each[measure]))));
}

export function isSameScore(left: Scores | undefined, right: Scores | undefined): boolean {
  return MEASURES.every((measure) => left?.[measure] === right?.[measure]);
}

export function scoreText(text: CorpusText): Scores {
  return meanScores([...scoreSummaries(text)]);
}

/** Scores each summary of a conversation, before rounding. Summarizes as far as the caller reads. */
export function* scoreSummaries(corpusText: CorpusText): Generator<Scores> {
  const { expected } = corpusText;
  const marked = wordsOf(expected.map(({ text }) => text).join(" "));
  for (const { text, keyPoints } of summarize(corpusText)) {
    const lines = text.split("\n").map(wordsOf);
    const points = keyPoints.map(wordsOf);
    yield scoresOf((measure) => {
      if (measure === "place") return mean(expected.map((each) => placeOf(each, lines)));
      if (measure === "precision") return shareMarked(lines, marked);
      const wanted = isAspect(measure) ? expected.filter(({ aspect }) => aspect === measure) : expected;
      return mean(wanted.map((each) => shareKept(each, measure === "points" ? points : lines)));
    });
  }
}

function* summarize({ messages, budgetTokens }: CorpusText): Generator<SummaryRecord> {
  if (budgetTokens !== undefined) {
    yield summarizeOffline(messages, { budgetTokens });
    return;
  }
  const sizes = [...SIZES, ...PROMPT_TOKENS.map((tokens) => summaryCap(LIMITS, tokens))];
  for (const size of sizes) yield summarizeOffline(messages, { budgetTokens: size });
  const half = Math.ceil(messages.length / 2);
  const previous = summarizeOffline(messages.slice(0, half), { budgetTokens: FOLD_TOKENS });
  const byModel = { ...previous, strategy: "brief" as const, lines: [] };
  yield summarizeOffline(messages.slice(half), { budgetTokens: FOLD_TOKENS, previous });
  yield summarizeOffline(messages.slice(half), { budgetTokens: FOLD_TOKENS, previous: byModel });
  for (const size of WISHED_SIZES) yield summarizeOffline(messages, { budgetTokens: size, instructions: INSTRUCTIONS });
}

function scoresOf(score: (measure: QualityMeasure) => number): Scores {
  return Object.fromEntries(MEASURES.map((measure) => [measure, score(measure)])) as Scores;
}

function isAspect(measure: QualityMeasure): measure is Aspect {
  return (ASPECTS as readonly string[]).includes(measure);
}

type Line = ReadonlySet<string>;

function shareKept({ text }: ExpectedWords, lines: readonly Line[]): number {
  const words = [...wordsOf(text)];
  return Math.max(0, ...lines.map((line) => words.filter((word) => line.has(word)).length / words.length));
}

function placeOf({ text }: ExpectedWords, lines: readonly Line[]): number {
  const [first = ""] = wordsOf(text);
  const words = lines.flatMap((line) => [...line]);
  const place = words.indexOf(first);
  return place < 0 ? 0 : 1 - place / words.length;
}

function shareMarked(lines: readonly Line[], marked: Line): number {
  const words = lines.flatMap((line) => [...line]);
  return words.filter((word) => marked.has(word)).length / Math.max(1, words.length);
}

function wordsOf(text: string): Line {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number): number {
  return Math.round(value * 100_000) / 100_000;
}
