/**
 * How much of a prompt a repository may take by itself. Outlines and the tree of a large one would fill any window, so
 * that those are shown which most others refer to, and as much of the tree as fits. What was shown before stays, because
 * another choice would cost more than it tells.
 */

/** Of all that a prompt may take. */
const OUTLINES_RATIO = 0.25;
const TREE_RATIO = 0.05;

interface Referring {
  readonly path: string;
  readonly refersTo: readonly string[];
}

export interface OutlineLimits<Outline> {
  readonly limitTokens: number;
  /** Of all outlines together. */
  readonly tokens: number;
  readonly tokensOf: (outline: Outline) => number;
  readonly isShown: (outline: Outline) => boolean;
}

/** In the order in which they were given. */
export function limitOutlines<Outline extends Referring>(
  outlines: readonly Outline[],
  { limitTokens, tokens: all, tokensOf, isShown }: OutlineLimits<Outline>,
): readonly Outline[] {
  const most = Math.floor(limitTokens * OUTLINES_RATIO);
  if (all <= most) return outlines;
  const references = countReferences(outlines);
  const rank = (outline: Outline): number =>
    isShown(outline) ? Number.POSITIVE_INFINITY : (references.get(outline.path) ?? 0);
  const ranked = outlines.toSorted(
    (left, right) => compare(rank(right), rank(left)) || (left.path < right.path ? -1 : 1),
  );
  let rest = most;
  const kept = new Set(
    ranked.filter((outline) => {
      const tokens = tokensOf(outline);
      if (tokens > rest) return false;
      rest -= tokens;
      return true;
    }),
  );
  return outlines.filter((outline) => kept.has(outline));
}

function compare(left: number, right: number): number {
  return left === right ? 0 : left - right;
}

function countReferences(outlines: readonly Referring[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path, refersTo } of outlines) {
    for (const target of new Set(refersTo)) if (target !== path) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return counts;
}

/** The first of them, by their share of the tokens that all of them take. */
export function limitTree(
  paths: readonly string[],
  { limitTokens, tokens }: { readonly limitTokens: number; readonly tokens: number },
): readonly string[] {
  const most = Math.floor(limitTokens * TREE_RATIO);
  if (tokens <= most) return paths;
  return paths.slice(0, Math.floor((paths.length * most) / tokens));
}

// Which chosen files are left out when a prompt would be too large: the largest first, until what is too much is gone.
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
