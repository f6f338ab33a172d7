/**
 * Pins the quality of summaries by code. On conversations written for this purpose it measures how much of the marked
 * facts, dates, names and words of the user a summary keeps, how much else it contains, and in which order. Every
 * weight of src/core/summary/weights.ts must matter: raising it changes the score of a conversation.
 *
 * If a change is meant to change summaries, compare the scores by measure, then run `npm run weights -- --record`.
 */
import { afterEach, describe, expect, test } from "vitest";
import { WEIGHTS } from "./support/summary-quality/change-weight.ts";
import { type CorpusText, readCorpus } from "./support/summary-quality/corpus.ts";
import { NOTICED_BY, SCORES } from "./support/summary-quality/recorded.ts";
import { isSameScore, MEASURES, meanScores, type Scores, scoreSummaries } from "./support/summary-quality/score.ts";

/** No change may fall below these means, even if it records other scores. */
const FLOORS: Scores = {
  fact: 0.7,
  date: 0.78,
  name: 0.86,
  words: 0.78,
  all: 0.76,
  points: 0.4,
  precision: 0.48,
  place: 0.54,
};

const CORPUS = readCorpus();

/** Scores of each summary, by conversation. */
const scored = new Map(CORPUS.map((text) => [text.name, [...scoreSummaries(text)]]));

describe("summaries of the corpus", () => {
  const scores = new Map([...scored].map(([name, summaries]) => [name, meanScores(summaries)]));

  test.each(CORPUS.map(({ name }) => name))("of %j have the recorded scores", (name) => {
    expect(scores.get(name)).toEqual(SCORES[name]);
  });

  test("have mean scores above the floors", () => {
    const means = meanScores([...scores.values()]);
    for (const measure of MEASURES) expect(means[measure], measure).toBeGreaterThan(FLOORS[measure]);
  });

  test("have recorded scores for exactly the conversations of the corpus", () => {
    expect(Object.keys(SCORES).toSorted()).toEqual([...scores.keys()].toSorted());
  });
});

describe("the score of a summary", () => {
  let restore: (() => void) | undefined;
  afterEach(() => restore?.());

  /**
   * Tries the recorded conversation first; after a change, another one may depend on the weight. Stops at the first
   * summary with other scores.
   */
  function findWitness(weight: string): CorpusText | undefined {
    const byHint = CORPUS.toSorted(
      (left, right) => Number(right.name === NOTICED_BY[weight]) - Number(left.name === NOTICED_BY[weight]),
    );
    return byHint.find(hasOtherScores);
  }

  function hasOtherScores(text: CorpusText): boolean {
    const before = scored.get(text.name)?.values();
    for (const after of scoreSummaries(text)) if (!isSameScore(after, before?.next().value)) return true;
    return false;
  }

  test.each(WEIGHTS)("changes if a weight is raised: $name", ({ name, raise }) => {
    restore = raise();
    expect(findWitness(name)).toBeDefined();
  });
});

test("every conversation of the corpus lists expectations of at least three kinds", () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(18);
  for (const { name, expected } of CORPUS) {
    expect(new Set(expected.map(({ aspect }) => aspect)).size, name).toBeGreaterThanOrEqual(3);
  }
});
