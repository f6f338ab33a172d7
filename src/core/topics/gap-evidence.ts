/**
 * What speaks for and against a new topic at one gap between stretches: how little the words on both sides share, how
 * many words are new, files, tools, time, and what was said. Each piece of evidence is a number from -1 to 1; weighing
 * them is `score-gap.ts`.
 */
import type { TopicUnit } from "./topic-unit.ts";

export interface GapEvidence {
  /** 1 where the words before and after the gap have nothing in common. */
  readonly cut: number;
  /** The share of what the first message says that was not talked about before. */
  readonly fresh: number;
  /** How much of the opening is taken up again afterwards. */
  readonly taken: number;
  /** 1 where three or more words after the gap were used before it, however long ago. */
  readonly bridge: number;
  /** 1 where the files before and after have none in common. */
  readonly files: number;
  readonly tools: number;
  /** 0 up to a quarter of an hour, 1 from eight hours on. */
  readonly pause: number;
  /** How much there was to judge by, from 0 to 1. */
  readonly substance: number;
}

export interface GapSides {
  /** Nearest first. */
  readonly before: readonly TopicUnit[];
  /** Nearest first; at least one. */
  readonly after: readonly TopicUnit[];
  weigh(term: string): number;
}

const BEFORE_FADE = 0.85;
const AFTER_FADE = 0.8;
const SHORTEST_PAUSE_MS = 15 * 60_000;
const LONGEST_PAUSE_MS = 8 * 3_600_000;
/** Words on each side from which on nothing is held back for want of them. One remark is not a topic yet. */
const ENOUGH_TERMS_BEFORE = 12;
const ENOUGH_TERMS_AFTER = 10;
const BRIDGE_UNITS = 2;
const BRIDGE_WORDS = 3;

export function findEvidence({ before, after, weigh }: GapSides): GapEvidence {
  const left = blend(before, BEFORE_FADE);
  const right = blend(after, AFTER_FADE);
  const first = after[0];
  return {
    cut: 1 - cosine(left, right, weigh),
    fresh: first === undefined ? 0 : shareOutside(first.opening, left, weigh),
    taken: first === undefined ? 0 : 1 - shareOutside(first.opening, blend(after.slice(1), 1), weigh),
    bridge: Math.min(1, countShared(left, after.slice(0, BRIDGE_UNITS)) / BRIDGE_WORDS),
    files: apart(before.slice(0, 2), after.slice(0, 1), (unit) => unit.files),
    tools: apart(before.slice(0, 1), after.slice(0, 1), (unit) => unit.tools),
    pause: pauseOf(before[0]?.endedAt, first?.startedAt),
    substance: Math.min(1, left.size / ENOUGH_TERMS_BEFORE, right.size / ENOUGH_TERMS_AFTER),
  };
}

function blend(units: readonly TopicUnit[], fade: number): ReadonlyMap<string, number> {
  const blended = new Map<string, number>();
  let weight = 1;
  for (const unit of units) {
    for (const [term, count] of unit.terms) {
      blended.set(term, (blended.get(term) ?? 0) + weight * Math.log1p(count));
    }
    weight *= fade;
  }
  return blended;
}

type Bag = ReadonlyMap<string, number>;

function cosine(left: Bag, right: Bag, weigh: (term: string) => number): number {
  let [dot, leftSquare, rightSquare] = [0, 0, 0];
  for (const [term, count] of left) {
    const weight = weigh(term);
    leftSquare += (count * weight) ** 2;
    dot += count * weight * (right.get(term) ?? 0) * weight;
  }
  for (const [term, count] of right) rightSquare += (count * weigh(term)) ** 2;
  return leftSquare === 0 || rightSquare === 0 ? 0 : dot / Math.sqrt(leftSquare * rightSquare);
}

function shareOutside(terms: ReadonlySet<string>, known: Bag, weigh: (term: string) => number): number {
  let [all, outside] = [0, 0];
  for (const term of terms) {
    const weight = weigh(term);
    all += weight;
    if (!known.has(term)) outside += weight;
  }
  return all === 0 ? 0 : outside / all;
}

function countShared(known: Bag, units: readonly TopicUnit[]): number {
  const terms = new Set(units.flatMap((unit) => [...unit.terms.keys()]));
  return [...terms].filter((term) => known.has(term)).length;
}

function apart(
  before: readonly TopicUnit[],
  after: readonly TopicUnit[],
  of: (unit: TopicUnit) => ReadonlySet<string>,
): number {
  const left = new Set(before.flatMap((unit) => [...of(unit)]));
  const right = new Set(after.flatMap((unit) => [...of(unit)]));
  if (left.size === 0 || right.size === 0) return 0;
  const shared = [...right].filter((item) => left.has(item)).length;
  return 1 - shared / Math.min(left.size, right.size);
}

function pauseOf(endedAt: number | undefined, startedAt: number | undefined): number {
  if (endedAt === undefined || startedAt === undefined) return 0;
  const pauseMs = startedAt - endedAt;
  if (!(pauseMs > SHORTEST_PAUSE_MS)) return 0;
  return Math.min(1, Math.log(pauseMs / SHORTEST_PAUSE_MS) / Math.log(LONGEST_PAUSE_MS / SHORTEST_PAUSE_MS));
}
