/** Cuts stretches into pieces and groups them into pages, each small enough to be weighed in a few milliseconds. */
import type { Stretch } from "../../ports/store.ts";

export const SEQS_PER_PAGE = 20_000;

export interface StretchPiece extends Stretch {
  /** Index of the stretch that it is part of. */
  readonly of: number;
}

export function cutStretches(stretches: readonly Stretch[]): readonly (readonly StretchPiece[])[] {
  const pages: StretchPiece[][] = [];
  let left = 0;
  for (const [of, { firstSeq, lastSeq }] of stretches.entries()) {
    for (let first = firstSeq; first <= lastSeq; ) {
      if (left === 0) {
        pages.push([]);
        left = SEQS_PER_PAGE;
      }
      const last = Math.min(lastSeq, first + left - 1);
      pages.at(-1)?.push({ firstSeq: first, lastSeq: last, of });
      left -= last - first + 1;
      first = last + 1;
    }
  }
  return pages;
}
