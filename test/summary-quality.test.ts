/**
 * The quality of summaries by code, pinned: of conversations written for this purpose, how much of the marked facts, dates,
 * names and words of the user a summary keeps. A change of a weight changes the score. `npm run weights` changes every
 * weight and lists those that the corpus does not notice.
 *
 * Where a change is meant to change summaries, look at the scores by aspect, then record the new figures here.
 */
import { afterEach, describe, expect, test } from "vitest";
import * as weights from "../src/core/summary/weights.ts";
import { changeWeight } from "./support/summary-quality/change-weight.ts";
import { ASPECTS, readCorpus } from "./support/summary-quality/corpus.ts";
import { meanScores, type Scores, scoreCorpus } from "./support/summary-quality/score.ts";

/** Measured by this test. */
const RECORDED: Scores = { fact: 0.74134, date: 0.81598, name: 0.88565, words: 0.83275, all: 0.79055 };
/** No change may fall below these, whatever it records. */
const FLOORS: Scores = { fact: 0.7, date: 0.78, name: 0.86, words: 0.78, all: 0.76 };
const EPSILON = 0.000_01;

let restore: (() => void) | undefined;
afterEach(() => restore?.());

describe("summaries of the corpus", () => {
  const scores = meanScores(scoreCorpus());

  test("keep what is recorded here of the marked facts, dates, names and words of the user", () => {
    for (const aspect of [...ASPECTS, "all"] as const) {
      expect(Math.abs(scores[aspect] - RECORDED[aspect]), `${aspect}: ${scores[aspect]}`).toBeLessThan(EPSILON);
    }
  });

  test("stay above the floors", () => {
    for (const aspect of [...ASPECTS, "all"] as const) expect(scores[aspect]).toBeGreaterThan(FLOORS[aspect]);
  });

  test("get another score when a weight is raised by 0.3", () => {
    restore = changeWeight(weights.TALK_LINE_WEIGHTS, "answer", 0.3);
    expect(meanScores(scoreCorpus())).not.toEqual(scores);
  });
});

test("the corpus marks facts, dates, names and words of the user in every kind of conversation", () => {
  const corpus = readCorpus();
  expect(corpus.length).toBeGreaterThanOrEqual(12);
  for (const { name, expected } of corpus) {
    expect(new Set(expected.map(({ aspect }) => aspect)).size, name).toBeGreaterThanOrEqual(3);
  }
});
