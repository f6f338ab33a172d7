/**
 * Packs an outline with its names as numbers: a repository of thousands of files uses millions of names, which are only
 * compared. With 52 bits two names share a number once in thousands of such repositories, and the effect is one extra
 * reference.
 */
import type { Outline } from "./outline-reader.ts";

export interface PackedOutline {
  readonly text: string;
  /** Sorted. */
  readonly defines: Float64Array<ArrayBuffer>;
  /** Sorted. */
  readonly uses: Float64Array<ArrayBuffer>;
  readonly imports: readonly string[];
}

export function packOutline({ text, defines, uses, imports }: Outline): PackedOutline {
  return { text, defines: packNames(defines), uses: packNames(uses), imports };
}

function packNames(names: Iterable<string>): Float64Array<ArrayBuffer> {
  return Float64Array.from(new Set(Array.from(names, hashName))).sort();
}

/** Hashes a name with FNV-1a twice, from two seeds. */
export function hashName(name: string): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let index = 0; index < name.length; index += 1) {
    const code = name.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + index), 0x01000193);
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}

/** Binary search in a sorted list. */
export function includesNumber(sorted: Float64Array, wanted: number): boolean {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === wanted;
}
