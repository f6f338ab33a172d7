/** Evidence for and against a new topic besides words, from 0 to 1, or undefined if there is nothing to compare. */
import type { TopicUnit } from "./topic-unit.ts";

export interface WorkEvidence {
  /** 1 if no file is used both before and after the gap. */
  readonly filesApart: number | undefined;
  readonly toolsApart: number | undefined;
  /** True if tools were used on both sides for different kinds of work. */
  readonly hasOtherWork: boolean;
  /** 0 below half an hour, then growing until eight hours. */
  readonly pause: number;
}

const MIN_PAUSE_MS = 30 * 60_000;
const MAX_PAUSE_MS = 8 * 3_600_000;
/** Value of `pause` at half an hour. */
const MIN_PAUSE = 0.4;
const UNITS_BEFORE = 2;

export function findWorkEvidence(units: readonly TopicUnit[], place: number): WorkEvidence {
  const before = units.slice(Math.max(0, place - UNITS_BEFORE), place);
  const after = units.slice(place, place + 1);
  return {
    filesApart: distanceBetween(before, after, (unit) => unit.files),
    toolsApart: distanceBetween(before.slice(-1), after, (unit) => unit.tools),
    hasOtherWork: isOtherWork(before.at(-1), after[0]),
    pause: pauseBetween(before.at(-1)?.endedAt, after[0]?.startedAt),
  };
}

function isOtherWork(before: TopicUnit | undefined, after: TopicUnit | undefined): boolean {
  if (before === undefined || after === undefined || before.tools.size === 0 || after.tools.size === 0) return false;
  const [earlier, later] = [before.workType, after.workType];
  return earlier !== undefined && later !== undefined && earlier !== later;
}

function distanceBetween(
  before: readonly TopicUnit[],
  after: readonly TopicUnit[],
  of: (unit: TopicUnit) => ReadonlySet<string>,
): number | undefined {
  const left = new Set(before.flatMap((unit) => [...of(unit)]));
  const right = new Set(after.flatMap((unit) => [...of(unit)]));
  if (left.size === 0 || right.size === 0) return undefined;
  let shared = 0;
  for (const item of right) if (left.has(item)) shared += 1;
  return 1 - shared / Math.min(left.size, right.size);
}

function pauseBetween(endedAt: number | undefined, startedAt: number | undefined): number {
  if (endedAt === undefined || startedAt === undefined) return 0;
  const pauseMs = startedAt - endedAt;
  if (!(pauseMs >= MIN_PAUSE_MS)) return 0;
  const grown = Math.log(pauseMs / MIN_PAUSE_MS) / Math.log(MAX_PAUSE_MS / MIN_PAUSE_MS);
  return Math.min(1, MIN_PAUSE + (1 - MIN_PAUSE) * grown);
}
