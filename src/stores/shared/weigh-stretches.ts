/** Sums messages and tokens by stretch of a log. */
import type { Entry, MessageEntry } from "../../core/log/entry.ts";
import type { Stretch, StretchWeight } from "../../ports/store.ts";

/** Returns the count that a message was appended with, which is its first; undefined if uncounted. */
export function findTokensAtAppend({ tokens }: Pick<MessageEntry, "tokens">): number | undefined {
  const [first] = Object.values(tokens);
  return first;
}

/** Sums entries by stretch. Entries come in order, in any number of portions. */
export class TokenMeter {
  readonly weights: readonly StretchWeight[];
  readonly #stretches: readonly Stretch[];
  #index = 0;

  constructor(stretches: readonly Stretch[]) {
    this.#stretches = stretches;
    this.weights = stretches.map(() => ({ messages: 0, tokens: 0 }));
  }

  add(entries: Iterable<Entry>): void {
    const weights = this.weights as { messages: number; tokens: number }[];
    for (const entry of entries) {
      while (entry.seq > (this.#stretches[this.#index]?.lastSeq ?? Number.POSITIVE_INFINITY)) this.#index += 1;
      const weight = weights[this.#index];
      if (weight === undefined || entry.type !== "message") continue;
      if (entry.seq < (this.#stretches[this.#index]?.firstSeq ?? 0)) continue;
      weight.messages += 1;
      weight.tokens += findTokensAtAppend(entry) ?? 0;
    }
  }
}

export const SEQS_PER_PAGE = 20_000;

export interface StretchPiece extends Stretch {
  /** Index of the stretch that it is part of. */
  readonly stretchIndex: number;
}

export function cutStretches(stretches: readonly Stretch[]): readonly (readonly StretchPiece[])[] {
  const pages: StretchPiece[][] = [];
  let left = 0;
  for (const [stretchIndex, { firstSeq, lastSeq }] of stretches.entries()) {
    for (let first = firstSeq; first <= lastSeq; ) {
      if (left === 0) {
        pages.push([]);
        left = SEQS_PER_PAGE;
      }
      const last = Math.min(lastSeq, first + left - 1);
      pages.at(-1)?.push({ firstSeq: first, lastSeq: last, stretchIndex });
      left -= last - first + 1;
      first = last + 1;
    }
  }
  return pages;
}
