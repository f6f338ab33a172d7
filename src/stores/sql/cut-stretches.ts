/** Stretches in pieces and pages of them, so that no page weighs more places than take a few milliseconds. */
import type { Stretch } from "../../ports/store.ts";

export const PLACES_AT_ONCE = 20_000;

export interface StretchPiece extends Stretch {
  /** The place of the stretch that it is a piece of. */
  readonly of: number;
}

export function cutStretches(stretches: readonly Stretch[]): readonly (readonly StretchPiece[])[] {
  const pages: StretchPiece[][] = [];
  let left = 0;
  for (const [of, { firstSeq, lastSeq }] of stretches.entries()) {
    for (let first = firstSeq; first <= lastSeq; ) {
      if (left === 0) {
        pages.push([]);
        left = PLACES_AT_ONCE;
      }
      const last = Math.min(lastSeq, first + left - 1);
      pages.at(-1)?.push({ firstSeq: first, lastSeq: last, of });
      left -= last - first + 1;
      first = last + 1;
    }
  }
  return pages;
}
