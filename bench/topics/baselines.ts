/**
 * The detector's baselines: no boundaries, random ones and even steps at the true number of boundaries, tiling by
 * tf-idf with depths, and the detector without learned weights. Only the last shares code with the detector.
 */
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { MarkedDialogue } from "./marked-dialogue.ts";
import { pickPeaks, readGaps } from "./read-gaps.ts";

export function randomBoundaries({ turns, starts }: MarkedDialogue, random: SeededRandom): readonly number[] {
  const places = Array.from({ length: Math.max(0, turns.length - 1) }, (_, place) => place + 1);
  return random
    .shuffle(places)
    .slice(0, starts.length)
    .toSorted((one, other) => one - other);
}

export function evenBoundaries({ turns, starts }: MarkedDialogue): readonly number[] {
  const step = turns.length / (starts.length + 1);
  return starts.map((_, place) => Math.round(step * (place + 1))).filter((place) => place > 0 && place < turns.length);
}

/** Turns on each side of a gap, and deviations of a depth above the mean: the best values on TIAGE's train split. */
const TILE_TURNS = 2;
const TILE_DEVIATIONS = 0.5;

type WordCounts = ReadonlyMap<string, number>;

export function tilingBoundaries({ turns }: MarkedDialogue): readonly number[] {
  const bags = turns.map(({ text }) => countWords(text));
  const weigh = inverseFrequencies(bags);
  const likeness = bags
    .slice(1)
    .map((_, gap) =>
      cosine(
        sum(bags.slice(Math.max(0, gap + 1 - TILE_TURNS), gap + 1)),
        sum(bags.slice(gap + 1, gap + 1 + TILE_TURNS)),
        weigh,
      ),
    );
  const depths = likeness.map((one, gap) => findPeak(likeness, gap, -1) + findPeak(likeness, gap, 1) - 2 * one);
  const mean = total(depths) / Math.max(1, depths.length);
  const deviation = Math.sqrt(total(depths.map((depth) => (depth - mean) ** 2)) / Math.max(1, depths.length));
  return depths.flatMap((depth, gap) => (depth > mean + TILE_DEVIATIONS * deviation ? [gap + 1] : []));
}

/** Gives all features of a gap the same weight, and sets a boundary if the sum is one deviation above the mean. */
export function untrainedBoundaries(dialogue: MarkedDialogue): readonly number[] {
  const read = readGaps(dialogue);
  const sums = read.gaps.map(({ reading: { features } }) => {
    const seen = ["cut3", "fieldCut3", "unheardTaken", "endsThenGoesOn", "requestsNew"];
    return total(seen.map((name) => features[name] ?? 0)) - (features.answers ?? 0);
  });
  const mean = total(sums) / Math.max(1, sums.length);
  const deviation = Math.sqrt(total(sums.map((one) => (one - mean) ** 2)) / Math.max(1, sums.length));
  return pickPeaks(read, { sums, from: mean + deviation, near: 1 });
}

function countWords(text: string): WordCounts {
  const counts = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function inverseFrequencies(bags: readonly WordCounts[]): (word: string) => number {
  const uses = new Map<string, number>();
  for (const bag of bags) for (const word of bag.keys()) uses.set(word, (uses.get(word) ?? 0) + 1);
  return (word) => Math.log((1 + bags.length) / (1 + (uses.get(word) ?? 0)));
}

function sum(bags: readonly WordCounts[]): WordCounts {
  const all = new Map<string, number>();
  for (const bag of bags) for (const [word, count] of bag) all.set(word, (all.get(word) ?? 0) + count);
  return all;
}

function cosine(left: WordCounts, right: WordCounts, weigh: (word: string) => number): number {
  const square = (bag: WordCounts) => total([...bag].map(([word, count]) => (count * weigh(word)) ** 2));
  const dot = total([...left].map(([word, count]) => count * (right.get(word) ?? 0) * weigh(word) ** 2));
  const lengths = Math.sqrt(square(left) * square(right));
  return lengths === 0 ? 0 : dot / lengths;
}

/** Returns the height that is reached from a gap in one direction before it falls again. */
function findPeak(heights: readonly number[], from: number, step: 1 | -1): number {
  let top = heights[from] ?? 0;
  for (let place = from + step; (heights[place] ?? Number.NEGATIVE_INFINITY) >= top; place += step) {
    top = heights[place] ?? top;
  }
  return top;
}

function total(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}
