/**
 * Which chosen files are left out when a prompt would be too large: the largest first, until what is too much is gone.
 */

export interface WeighedFile {
  readonly path: string;
  readonly tokens: number;
}

/** A prompt beside chosen files should take no more of what it may. */
export const SHED_RATIO = 0.9;

/** What an estimate adds for whatever it does not know of. */
export const ESTIMATE_OVERHEAD_TOKENS = 500;

/** By how much a prompt is above what it should take beside files. */
export function excessTokens({ promptTokens, limitTokens }: { promptTokens: number; limitTokens: number }): number {
  return Math.max(0, promptTokens + ESTIMATE_OVERHEAD_TOKENS - Math.floor(limitTokens * SHED_RATIO));
}

/** Largest first; of equals the first by name. */
export function chooseShed(files: readonly WeighedFile[], tooMuchTokens: number): readonly WeighedFile[] {
  let rest = tooMuchTokens;
  const ordered = files.toSorted((left, right) => right.tokens - left.tokens || (left.path < right.path ? -1 : 1));
  return ordered.filter(({ tokens }) => {
    const isShed = rest > 0;
    if (isShed) rest -= tokens;
    return isShed;
  });
}
