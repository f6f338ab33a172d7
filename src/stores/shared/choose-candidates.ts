/** Chooses candidates for recall from the places of words: messages with many and rare words, and those around them. */
import type { CandidateQuery } from "../../ports/store.ts";
import { countPlaces, readOffsets, SEQS_PER_BLOCK, type WordRow } from "./word-places.ts";

/** Messages on each side of a candidate. */
const AROUND = 2;

export interface ChosenCandidates {
  /** How many messages of the range have each word. */
  readonly counts: ReadonlyMap<string, number>;
  /** In order, with the seqs around each candidate. */
  readonly seqs: readonly number[];
}

/** Expects the rows of the range, with each place once. */
export function chooseCandidates(rows: readonly WordRow[], query: CandidateQuery): ChosenCandidates {
  const { afterSeq = 0, throughSeq } = query;
  const counts = new Map(query.words.map((word) => [word, 0]));
  for (const row of rows) counts.set(row.word, (counts.get(row.word) ?? 0) + countPlaces(row));
  const seqs = new Set<number>();
  for (const seq of findBest(rows, { counts, query })) {
    for (let near = seq - AROUND; near <= seq + AROUND; near += 1) {
      if (near > afterSeq && near <= throughSeq) seqs.add(near);
    }
  }
  return { counts, seqs: [...seqs].sort((left, right) => left - right) };
}

interface CountedQuery {
  readonly counts: ReadonlyMap<string, number>;
  readonly query: CandidateQuery;
}

/** Weighs one block at a time, newest first, so that memory does not grow with the session. */
function findBest(rows: readonly WordRow[], { counts, query }: CountedQuery): readonly number[] {
  const { afterSeq = 0, throughSeq, limit } = query;
  const size = Math.max(1, throughSeq - afterSeq);
  const best = new BestSeqs(limit);
  const weights = new Float64Array(SEQS_PER_BLOCK);
  const blocks = Map.groupBy(rows, ({ block }) => block);
  for (const block of [...blocks.keys()].sort((left, right) => right - left)) {
    weights.fill(0);
    for (const { word, places } of blocks.get(block) ?? []) {
      const weight = Math.log(1 + size / Math.max(1, counts.get(word) ?? 1));
      for (const offset of readOffsets(places)) weights[offset] = (weights[offset] ?? 0) + weight;
    }
    for (let offset = SEQS_PER_BLOCK - 1; offset >= 0; offset -= 1) {
      const seq = block * SEQS_PER_BLOCK + offset;
      const weight = weights[offset] ?? 0;
      if (weight > 0) best.offer(seq, weight);
    }
  }
  return best.take();
}

/** Keeps the seqs with the greatest weights; of equal ones those that were offered first. */
class BestSeqs {
  readonly #limit: number;
  #kept: { readonly seq: number; readonly weight: number }[] = [];
  #least = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(seq: number, weight: number): void {
    if (weight <= this.#least) return;
    this.#kept.push({ seq, weight });
    if (this.#kept.length >= 4 * this.#limit + 1) this.#cut();
  }

  take(): readonly number[] {
    this.#cut();
    return this.#kept.map(({ seq }) => seq);
  }

  /** Sorting keeps the order of equal weights. */
  #cut(): void {
    this.#kept = this.#kept.sort((left, right) => right.weight - left.weight).slice(0, this.#limit);
    if (this.#kept.length === this.#limit) this.#least = this.#kept.at(-1)?.weight ?? 0;
  }
}
