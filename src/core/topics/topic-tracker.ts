/**
 * Finds the topic boundaries of a growing conversation. The cost of a message depends on its length, not on the length
 * of the conversation: each gap is measured and scored once (`gap-reader.ts`, `score-gap.ts`), and only the newest
 * scores are kept.
 *
 * Later messages count too, because a long conversation has fewer topics than its first turns suggest. So the newest
 * changes are provisional: further messages may remove or move them. Older changes are settled. Calls no model and
 * reads no clock.
 */
import type { Message } from "../message/message.ts";
import { GapReader } from "./gap-reader.ts";
import { type GapScore, scoreGap } from "./score-gap.ts";

/** A place where a conversation changed its topic, with a confidence and a reason. */
export interface TopicChange {
  /** Index of the first message of the new topic. */
  readonly index: number;
  /** From 0 to 1. */
  readonly confidence: number;
  /** One to three phrases for display. */
  readonly reason: string;
}

/** Finds changes of topic in a conversation that grows message by message. */
export interface TopicTracker {
  add(message: Message): void;
  /** Returns the changes with at least this confidence, oldest first. */
  changes(minConfidence: number): readonly TopicChange[];
  /** Returns only the changes that no further message can remove or move. */
  settledChanges(minConfidence: number): readonly TopicChange[];
}

/** A gap with less confidence is never a change, even if the caller's minimum is lower. */
const MIN_CONFIDENCE = 0.2;
/** Numbers of units up to which a conversation is short, and from which it is long. */
const SHORT_TALK_UNITS = 60;
const LONG_TALK_UNITS = 120;
/** A gap is settled when this many gaps were read after it. */
const SETTLED_AFTER_GAPS = LONG_TALK_UNITS;
/** Only one of the gaps within this distance is a change: in a short conversation, and in a long one. */
const NEAR_GAPS = 1;
const NEAR_GAPS_IN_LONG_TALK = 8;

/**
 * Returns a tracker that finds topic boundaries in a growing list of messages.
 *
 * @example
 * ```ts
 * const tracker = createTopicTracker();
 * for (const message of messages) tracker.add(message);
 * console.log(tracker.changes(0.5));
 * ```
 */
export function createTopicTracker(): TopicTracker {
  return new Tracker();
}

class Tracker implements TopicTracker {
  readonly #reader = new GapReader();
  readonly #settled: TopicChange[] = [];
  /** Scores of the newest final gaps. Those before `#open` are settled and kept for comparison. */
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
    return filterByConfidence(
      [...this.#settled, ...findPeaks(scores, { from: this.#open, length: this.#length() })],
      minConfidence,
    );
  }

  settledChanges(minConfidence: number): readonly TopicChange[] {
    return filterByConfidence(this.#settled, minConfidence);
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

  /** Returns 0 for a short conversation, 1 for a long one, or a number between. */
  #length(): number {
    const beyond = (this.#reader.talkUnits - SHORT_TALK_UNITS) / (LONG_TALK_UNITS - SHORT_TALK_UNITS);
    return Math.max(0, Math.min(1, beyond));
  }
}

function filterByConfidence(changes: readonly TopicChange[], minConfidence: number): readonly TopicChange[] {
  return changes.filter(({ confidence }) => confidence >= minConfidence);
}

interface PeakSearch {
  readonly from: number;
  readonly until?: number | undefined;
  readonly length: number;
}

/** Finds the highest scores. The first of several nearby gaps with equal scores is the change. */
function findPeaks(
  scores: readonly GapScore[],
  { from, until = scores.length, length }: PeakSearch,
): readonly TopicChange[] {
  const near = Math.round(NEAR_GAPS + length * (NEAR_GAPS_IN_LONG_TALK - NEAR_GAPS));
  const sums = scores.map(({ talk, longTalk }) => (1 - length) * talk + length * longTalk);
  const peaks: TopicChange[] = [];
  for (let place = from; place < until; place += 1) {
    const [score, sum] = [scores[place], sums[place]];
    if (score === undefined || sum === undefined || confidenceOf(sum) < MIN_CONFIDENCE) continue;
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
