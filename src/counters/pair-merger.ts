/**
 * Counts the tokens of one piece by byte pair encoding: of all neighbors whose joined bytes are a token, the pair with
 * the lowest rank is joined first, the leftmost one among equals, until no pair is left. A heap finds that pair, so long
 * pieces take no more than n log n steps.
 */
import type { TokenTable } from "./token-table.ts";

/** A number above the length of any piece in bytes. */
const PLACES = 2 ** 32;
const NONE = -1;

export class PairMerger {
  readonly #table: TokenTable;
  /** For the part at each place: where the next and the previous part begin, and the rank of it joined with the next. */
  #next = new Int32Array(64);
  #previous = new Int32Array(64);
  #ranks = new Int32Array(64);
  /** A heap of `rank * PLACES + place`. An entry is outdated if the pair at its place has another rank by now. */
  #heap: number[] = [];

  constructor(table: TokenTable) {
    this.#table = table;
  }

  countTokens(bytes: Uint8Array, length: number): number {
    this.#start(bytes, length);
    let tokens = length;
    for (;;) {
      const entry = this.#pop();
      if (entry === undefined) return tokens;
      const place = entry % PLACES;
      if (this.#ranks[place] !== (entry - place) / PLACES) continue;
      this.#join(bytes, place, length);
      tokens -= 1;
    }
  }

  #start(bytes: Uint8Array, length: number): void {
    if (this.#next.length < length + 1) {
      this.#next = new Int32Array(2 * length);
      this.#previous = new Int32Array(2 * length);
      this.#ranks = new Int32Array(2 * length);
    }
    for (let place = 0; place < length; place += 1) {
      this.#next[place] = place + 1;
      this.#previous[place] = place - 1;
    }
    for (let place = 0; place < length; place += 1) this.#rankPair(bytes, place, length);
  }

  /** Joins the part at a place with the next one. */
  #join(bytes: Uint8Array, place: number, length: number): void {
    const joined = this.#next[place] ?? length;
    const after = this.#next[joined] ?? length;
    this.#ranks[joined] = NONE;
    this.#next[place] = after;
    if (after < length) this.#previous[after] = place;
    this.#rankPair(bytes, place, length);
    const before = this.#previous[place] ?? NONE;
    if (before >= 0) this.#rankPair(bytes, before, length);
  }

  #rankPair(bytes: Uint8Array, place: number, length: number): void {
    const next = this.#next[place] ?? length;
    const end = next < length ? (this.#next[next] ?? length) : NONE;
    const rank = end === NONE ? NONE : this.#table.findRank(bytes, place, end);
    this.#ranks[place] = rank;
    if (rank !== NONE) this.#push(rank * PLACES + place);
  }

  #push(entry: number): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above] ?? 0;
      if (parent <= entry) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): number | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && (heap[below + 1] ?? 0) < (heap[below] ?? 0)) below += 1;
      const child = heap[below] ?? 0;
      if (child >= last) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
    return top;
  }
}
