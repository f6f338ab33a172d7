/** Limits the share of a prompt that a repository may take. Prefers outlines that were shown before: they are cached. */

const OUTLINES_RATIO = 0.25;
const TREE_RATIO = 0.05;

interface ReferringOutline {
  readonly path: string;
  readonly refersTo: readonly string[];
}

export interface OutlineLimits<Outline> {
  readonly limitTokens: number;
  readonly tokens: number;
  readonly tokensOf: (outline: Outline) => number;
  readonly isShown: (outline: Outline) => boolean;
}

/** Returns the outlines that fit, in the given order. */
export function limitOutlines<Outline extends ReferringOutline>(
  outlines: readonly Outline[],
  { limitTokens, tokens: all, tokensOf, isShown }: OutlineLimits<Outline>,
): readonly Outline[] {
  const most = Math.floor(limitTokens * OUTLINES_RATIO);
  if (all <= most) return outlines;
  const references = countReferences(outlines);
  const rank = (outline: Outline): number =>
    isShown(outline) ? Number.POSITIVE_INFINITY : (references.get(outline.path) ?? 0);
  const ranked = outlines.toSorted(
    (left, right) => compareNumbers(rank(right), rank(left)) || (left.path < right.path ? -1 : 1),
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

function compareNumbers(left: number, right: number): number {
  return left === right ? 0 : left - right;
}

function countReferences(outlines: readonly ReferringOutline[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path, refersTo } of outlines) {
    for (const target of new Set(refersTo)) if (target !== path) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return counts;
}

/** Returns as many of the first paths as fit, assuming paths of equal size. */
export function limitTree(
  paths: readonly string[],
  { limitTokens, tokens }: { readonly limitTokens: number; readonly tokens: number },
): readonly string[] {
  const most = Math.floor(limitTokens * TREE_RATIO);
  if (tokens <= most) return paths;
  return paths.slice(0, Math.floor((paths.length * most) / tokens));
}

export interface WeighedFile {
  readonly path: string;
  readonly tokens: number;
}

/** The share of the limit that a prompt with chosen files should not exceed. */
export const SHED_RATIO = 0.9;

/** Tokens added to an estimate for content that it does not include. */
export const ESTIMATE_OVERHEAD_TOKENS = 500;

export function measureExcess({ promptTokens, limitTokens }: { promptTokens: number; limitTokens: number }): number {
  return Math.max(0, promptTokens + ESTIMATE_OVERHEAD_TOKENS - Math.floor(limitTokens * SHED_RATIO));
}

/** Returns the files to leave out, largest first, then by name. */
export function chooseFilesToShed(files: readonly WeighedFile[], tooMuchTokens: number): readonly WeighedFile[] {
  let rest = tooMuchTokens;
  const ordered = files.toSorted((left, right) => right.tokens - left.tokens || (left.path < right.path ? -1 : 1));
  return ordered.filter(({ tokens }) => {
    const isShed = rest > 0;
    if (isShed) rest -= tokens;
    return isShed;
  });
}
