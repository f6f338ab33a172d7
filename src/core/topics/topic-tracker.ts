/**
 * Follows a conversation and knows where its topic changed. Each message costs what it is long, however many came
 * before: gaps are read and weighed once (`gap-reader.ts`, `score-gap.ts`), and the tracker keeps the scores of the
 * newest ones only.
 *
 * A change is judged by what comes after it too: a talk that turns out to be long has fewer topics than its first turns
 * promised. So the newest are provisional: what is said next may take them back or move them. Older ones never change
 * again. It asks nobody and reads no clock.
 */
import type { Message } from "../message/message.ts";
import { GapReader } from "./gap-reader.ts";
import { type GapScore, scoreGap } from "./score-gap.ts";

export interface TopicChange {
  /** Of the first message of the new topic. */
  readonly index: number;
  /** From 0 to 1. */
  readonly confidence: number;
  /** In words, for people. */
  readonly reason: string;
}

export interface TopicTracker {
  add(message: Message): void;
  /** From the oldest to the newest, at least as sure as asked. */
  changes(minConfidence: number): readonly TopicChange[];
  /** Those that no further message can change. */
  settledChanges(minConfidence: number): readonly TopicChange[];
}

/** What is less sure than this is no boundary, whatever is asked. */
const LEAST_CONFIDENCE = 0.2;
/** Up to so many stretches a talk is judged as one of everyday length, from so many on as a long one. */
const SHORT_TALK_UNITS = 60;
const LONG_TALK_UNITS = 120;
/** A gap is settled when so many were read after it. */
const SETTLED_AFTER_GAPS = LONG_TALK_UNITS;
/** A change outranks the gaps so near to it: in a short talk, and in a long one. */
const NEAR_GAPS = 1;
const NEAR_GAPS_IN_LONG_TALK = 8;

export function createTopicTracker(): TopicTracker {
  return new Tracker();
}

class Tracker implements TopicTracker {
  readonly #reader = new GapReader();
  readonly #settled: TopicChange[] = [];
  /** The newest gaps that are read for good; those before `#open` are settled and only compared with. */
  #scores: readonly GapScore[] = [];
  #open = 0;

  add(message: Message): void {
    const read = this.#reader.add(message);
    if (read.length === 0) return;
    this.#scores = [...this.#scores, ...read.map(scoreGap)];
    this.#settle();
  }

  changes(minConfidence: number): readonly TopicChange[] {
    const scores = [...this.#scores, ...this.#reader.readOpen().map(scoreGap)];
    return atLeast(
      [...this.#settled, ...findPeaks(scores, { from: this.#open, length: this.#length() })],
      minConfidence,
    );
  }

  settledChanges(minConfidence: number): readonly TopicChange[] {
    return atLeast(this.#settled, minConfidence);
  }

  #settle(): void {
    const until = this.#scores.length - SETTLED_AFTER_GAPS;
    if (until <= this.#open) return;
    const peaks = findPeaks(this.#scores, { from: this.#open, until, length: this.#length() });
    this.#settled.push(...peaks);
    const surplus = Math.max(0, until - NEAR_GAPS_IN_LONG_TALK);
    this.#scores = this.#scores.slice(surplus);
    this.#open = until - surplus;
  }

  /** From 0 for a talk of everyday length to 1 for a long one. */
  #length(): number {
    const beyond = (this.#reader.talkUnits - SHORT_TALK_UNITS) / (LONG_TALK_UNITS - SHORT_TALK_UNITS);
    return Math.max(0, Math.min(1, beyond));
  }
}

function atLeast(changes: readonly TopicChange[], minConfidence: number): readonly TopicChange[] {
  return changes.filter(({ confidence }) => confidence >= minConfidence);
}

interface PeakSearch {
  readonly from: number;
  readonly until?: number | undefined;
  readonly length: number;
}

/** Of gaps near to each other that are equally sure the first is the change. */
function findPeaks(
  scores: readonly GapScore[],
  { from, until = scores.length, length }: PeakSearch,
): readonly TopicChange[] {
  const near = Math.round(NEAR_GAPS + length * (NEAR_GAPS_IN_LONG_TALK - NEAR_GAPS));
  const sums = scores.map(({ talk, longTalk }) => (1 - length) * talk + length * longTalk);
  const peaks: TopicChange[] = [];
  for (let place = from; place < until; place += 1) {
    const [score, sum] = [scores[place], sums[place]];
    if (score === undefined || sum === undefined || confidenceOf(sum) < LEAST_CONFIDENCE) continue;
    const isPeak =
      sums.slice(Math.max(0, place - near), place).every((earlier) => earlier < sum) &&
      sums.slice(place + 1, place + 1 + near).every((later) => later <= sum);
    if (isPeak) peaks.push({ index: score.index, confidence: confidenceOf(sum), reason: score.reason });
  }
  return peaks;
}

function confidenceOf(score: number): number {
  return Math.round(1_000 / (1 + Math.exp(-score))) / 1_000;
}
