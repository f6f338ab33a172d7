/**
 * The score of the SuperDialseg benchmark: half the F1 of boundaries, a quarter each of 1 - Pk and 1 - WindowDiff. As
 * in its evaluation program, each measure is computed for each dialogue and then averaged. F1 counts exact positions,
 * and is 0 if none is found. The window is half the mean length of a true segment, rounded half to even, at least 2. A
 * window is either right or wrong; the size of its error does not count.
 */

export interface Segmentation {
  readonly turns: number;
  /** Indices of the first turn of each segment but the first. */
  readonly starts: readonly number[];
  readonly found: readonly number[];
}

export interface SegmentationScore {
  readonly score: number;
  readonly f1: number;
  readonly pk: number;
  readonly windowDiff: number;
  /** Boundaries found for each true one, over all dialogues together. */
  readonly density: number;
}

export function scoreSegmentations(segmentations: readonly Segmentation[]): SegmentationScore {
  const each = segmentations.map(scoreOne);
  const mean = (pick: (one: (typeof each)[number]) => number) => sum(each.map(pick)) / Math.max(1, each.length);
  const [f1, pk, windowDiff] = [mean((one) => one.f1), mean((one) => one.pk), mean((one) => one.windowDiff)];
  const found = sum(segmentations.map((one) => one.found.length));
  const density = found / Math.max(1, sum(segmentations.map(({ starts }) => starts.length)));
  return { score: 0.5 * f1 + 0.25 * (1 - pk) + 0.25 * (1 - windowDiff), f1, pk, windowDiff, density };
}

interface OneScore {
  readonly f1: number;
  readonly pk: number;
  readonly windowDiff: number;
}

function scoreOne({ turns, starts, found }: Segmentation): OneScore {
  const hits = found.filter((place) => starts.includes(place)).length;
  const window = Math.max(2, roundHalfToEven(turns / (starts.length + 1) / 2));
  const [truth, guess] = [countsBefore(turns, starts), countsBefore(turns, found)];
  const windows = turns - window + 1;
  let [apart, unlike] = [0, 0];
  for (let from = 0; from < windows; from += 1) {
    const [inTruth, inGuess] = [truth, guess].map((counts) => (counts[from + window] ?? 0) - (counts[from] ?? 0));
    if (inTruth !== inGuess) unlike += 1;
    if ((inTruth === 0) !== (inGuess === 0)) apart += 1;
  }
  const all = Math.max(1, windows);
  return {
    f1: hits === 0 ? 0 : (2 * hits) / (starts.length + found.length),
    pk: apart / all,
    windowDiff: unlike / all,
  };
}

/** Returns, for each index, how many turns before it are the last of their segment. */
function countsBefore(turns: number, starts: readonly number[]): readonly number[] {
  const counts = [0];
  const lasts = new Set(starts.map((place) => place - 1));
  for (let turn = 0; turn < turns; turn += 1) counts.push((counts[turn] ?? 0) + (lasts.has(turn) ? 1 : 0));
  return counts;
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
