/**
 * Follows a conversation and knows where its topic changed. Each message costs what it is long, however many came
 * before: the tracker keeps words, files and times of the last stretches, how often each word was used, and how much
 * the words usually change from stretch to stretch in this conversation.
 *
 * A change is judged by what comes after it too, so the newest are provisional: what is said next may take them back or
 * move them. Older ones never change again. It asks nobody and reads no clock.
 */
import type { Message } from "../message/message.ts";
import { findEvidence } from "./gap-evidence.ts";
import { type GapScore, scoreGap } from "./score-gap.ts";
import { addToUnit, createUnit, startsUnit, type TopicUnit, usesTools } from "./topic-unit.ts";

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
/** Words that make up a side of a gap, and the most stretches that are searched for them. */
const WORDS_BEFORE = 45;
const WORDS_AFTER = 18;
const UNITS_BEFORE = 12;
const UNITS_AFTER = 8;
/** A change outranks the gaps so near to it. */
const NEAR_GAPS = 2;
const MOST_KNOWN_TERMS = 50_000;

/** Cuts as they are in talk on one topic: what is believed of a conversation before it has shown its own. */
const USUAL_CUT = 0.85;
const USUAL_DEVIATION = 0.1;
const USUAL_GAPS = 6;

interface Gap extends GapScore {
  readonly index: number;
}

/** How much the words changed at the gaps so far. */
interface CutHistory {
  readonly gaps: number;
  readonly sum: number;
  readonly squares: number;
}

interface Progress {
  readonly cuts: CutHistory;
  /** The last gaps that are scored, newest last; as many as a peak is compared with. */
  readonly scored: readonly Gap[];
}

const NO_PROGRESS: Progress = {
  cuts: { gaps: USUAL_GAPS, sum: 0, squares: USUAL_GAPS * USUAL_DEVIATION ** 2 },
  scored: [],
};

export function createTopicTracker(): TopicTracker {
  return new Tracker();
}

class Tracker implements TopicTracker {
  readonly #settled: TopicChange[] = [];
  readonly #uses = new Map<string, number>();
  #closedUnits = 0;
  /** The newest stretches, the last one still growing. */
  #units: readonly TopicUnit[] = [];
  /** The place among them of the stretch after the next gap to score. */
  #next = 1;
  #progress: Progress = NO_PROGRESS;
  #count = 0;
  #before: Message | undefined;
  #usedTools = false;

  add(message: Message): void {
    if (message.role === "user") this.#usedTools = false;
    if (isPartOfTalk(message, this.#units)) this.#take(message, this.#count);
    this.#usedTools ||= usesTools(message);
    this.#before = message;
    this.#count += 1;
  }

  changes(minConfidence: number): readonly TopicChange[] {
    return atLeast([...this.#settled, ...this.#findProvisional()], minConfidence);
  }

  settledChanges(minConfidence: number): readonly TopicChange[] {
    return atLeast(this.#settled, minConfidence);
  }

  #take(message: Message, index: number): void {
    const last = this.#units.at(-1);
    if (last !== undefined && !startsUnit(message, { message: this.#before, usedTools: this.#usedTools })) {
      addToUnit(last, message);
      return;
    }
    if (last !== undefined) this.#close(last);
    this.#units = [...this.#units, createUnit(message, index)];
  }

  #close(unit: TopicUnit): void {
    this.#closedUnits += 1;
    for (const term of unit.terms.keys()) {
      const known = this.#uses.get(term);
      if (known !== undefined || this.#uses.size < MOST_KNOWN_TERMS) this.#uses.set(term, (known ?? 0) + 1);
    }
    this.#settle();
  }

  /** A gap is scored for good as soon as nothing said later can be on its far side. */
  #settle(): void {
    while (this.#units.length - this.#next >= UNITS_AFTER) {
      this.#progress = this.#scoreAt(this.#next, this.#progress);
      const { scored } = this.#progress;
      const peak = findPeak(scored, scored.length - 1 - NEAR_GAPS);
      if (peak !== undefined) this.#settled.push(peak);
      this.#next += 1;
    }
    const surplus = Math.max(0, this.#next - UNITS_BEFORE);
    this.#units = this.#units.slice(surplus);
    this.#next -= surplus;
  }

  /** The same as settling, with what is known so far and without remembering it. */
  #findProvisional(): readonly TopicChange[] {
    let ahead = this.#progress;
    const scored = [...ahead.scored];
    const firstOpen = Math.max(0, scored.length - NEAR_GAPS);
    for (let place = this.#next; place < this.#units.length; place += 1) {
      ahead = this.#scoreAt(place, ahead);
      scored.push(...ahead.scored.slice(-1));
    }
    return scored.flatMap((_, place) => (place < firstOpen ? [] : (findPeak(scored, place) ?? [])));
  }

  #scoreAt(place: number, progress: Progress): Progress {
    const weigh = (term: string) => Math.log((this.#closedUnits + 8) / ((this.#uses.get(term) ?? 0) + 1));
    return scoreNext(progress, { units: this.#units, place, weigh });
  }
}

/** Instructions are no talk, and a result without anything said before it belongs to nothing. */
function isPartOfTalk({ role }: Message, units: readonly TopicUnit[]): boolean {
  return role === "user" || role === "assistant" || (role === "tool" && units.length > 0);
}

function atLeast(changes: readonly TopicChange[], minConfidence: number): readonly TopicChange[] {
  return changes.filter(({ confidence }) => confidence >= minConfidence);
}

interface GapPlace {
  readonly units: readonly TopicUnit[];
  readonly place: number;
  weigh(term: string): number;
}

function scoreNext({ cuts, scored }: Progress, { units, place, weigh }: GapPlace): Progress {
  const unit = units[place];
  if (unit === undefined) return { cuts, scored };
  const before = takeSide(units.slice(0, place).toReversed(), { words: WORDS_BEFORE, most: UNITS_BEFORE });
  const after = takeSide(units.slice(place), { words: WORDS_AFTER, most: UNITS_AFTER });
  const evidence = findEvidence({ before, after, weigh });
  const known = addCut(cuts, evidence.cut);
  const mean = USUAL_CUT + known.sum / known.gaps;
  const deviation = Math.sqrt(Math.max(0.0004, known.squares / known.gaps - (known.sum / known.gaps) ** 2));
  const score = scoreGap({
    evidence,
    unit,
    usualCut: mean,
    deviations: (evidence.cut - mean) / deviation,
    gapsBefore: cuts.gaps - USUAL_GAPS,
  });
  return { cuts: known, scored: [...scored, { ...score, index: unit.index }].slice(-2 * NEAR_GAPS - 1) };
}

/** Cuts are kept as their distance from the usual one, where sums of squares lose no digits. */
function addCut({ gaps, sum, squares }: CutHistory, cut: number): CutHistory {
  const distance = cut - USUAL_CUT;
  return { gaps: gaps + 1, sum: sum + distance, squares: squares + distance ** 2 };
}

/** Nearest first, until enough was said. */
function takeSide(
  units: readonly TopicUnit[],
  { words, most }: { readonly words: number; readonly most: number },
): readonly TopicUnit[] {
  const taken: TopicUnit[] = [];
  let total = 0;
  for (const unit of units) {
    if (total >= words || taken.length >= most) break;
    taken.push(unit);
    total += unit.terms.size;
  }
  return taken;
}

/** Of gaps that are equally sure the first is the change. */
function findPeak(scored: readonly Gap[], place: number): TopicChange | undefined {
  const gap = scored[place];
  if (gap === undefined || gap.confidence < LEAST_CONFIDENCE) return undefined;
  const earlier = scored.slice(Math.max(0, place - NEAR_GAPS), place);
  const later = scored.slice(place + 1, place + 1 + NEAR_GAPS);
  const isPeak =
    earlier.every(({ confidence }) => confidence < gap.confidence) &&
    later.every(({ confidence }) => confidence <= gap.confidence);
  return isPeak ? { index: gap.index, confidence: gap.confidence, reason: gap.reason } : undefined;
}
