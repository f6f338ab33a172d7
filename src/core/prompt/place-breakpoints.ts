/**
 * Where a provider is told to remember what it has read so far. A request may have four such marks. One is kept for the
 * end of what the next request will have too; the others share the tiers, and a tier that is too small for a mark of
 * its own is covered by the one after it. Nothing volatile is ever marked.
 */
import type { CachedTier } from "../sections/tier.ts";

/** The system text. */
export const SYSTEM_END = -1;
export const MOST_BREAKPOINTS = 4;

export interface TierEnd {
  readonly tier: CachedTier;
  /** The last message of the tier, or `SYSTEM_END`. */
  readonly index: number;
  readonly tokens: number;
}

export interface BreakpointOptions {
  /** Provider's minimum: a mark after a shorter prefix is no mark, and some providers answer it with nothing. */
  readonly leastTokens: number;
  /** The last message that the next prompt will have too. */
  readonly lastDurable: number | undefined;
  /** One for every tier that holds something, and none for what comes after: the document's way. */
  readonly isOnePerTier?: boolean | undefined;
}

/** Indices of messages, ascending, each once. */
export function placeBreakpoints(
  tierEnds: readonly TierEnd[],
  { leastTokens, lastDurable, isOnePerTier = false }: BreakpointOptions,
): readonly number[] {
  const filled = tierEnds.filter(({ tokens }) => tokens > 0);
  if (isOnePerTier) return indicesOf(withEnoughBefore(filled, leastTokens)).slice(0, MOST_BREAKPOINTS);
  const shared = mergeSmallest(mergeDownwards(filled, leastTokens), MOST_BREAKPOINTS - 1);
  const last = lastDurable === undefined ? [] : [lastDurable];
  return [...new Set([...indicesOf(shared), ...last])].toSorted((left, right) => left - right);
}

function indicesOf(ends: readonly TierEnd[]): readonly number[] {
  return ends.map(({ index }) => index);
}

/** Drops marks whose whole prefix is below what the provider caches. */
function withEnoughBefore(ends: readonly TierEnd[], leastTokens: number): readonly TierEnd[] {
  let before = 0;
  return ends.filter(({ tokens }) => {
    before += tokens;
    return before >= leastTokens;
  });
}

/** What is too little for a mark counts with the tier after it. */
function mergeDownwards(ends: readonly TierEnd[], leastTokens: number): readonly TierEnd[] {
  const merged: TierEnd[] = [];
  let carried = 0;
  for (const end of ends) {
    const tokens = carried + end.tokens;
    carried = tokens < leastTokens ? tokens : 0;
    if (carried === 0) merged.push({ ...end, tokens });
  }
  return merged;
}

/** The smallest joins the one after it, so that what is lost when that one changes is least. */
function mergeSmallest(ends: readonly TierEnd[], most: number): readonly TierEnd[] {
  if (ends.length <= most) return ends;
  const candidates = ends.slice(0, -1);
  const least = Math.min(...candidates.map(({ tokens }) => tokens));
  const place = candidates.findIndex(({ tokens }) => tokens === least);
  return mergeSmallest(
    ends.flatMap((end, index) => {
      if (index === place) return [];
      return [index === place + 1 ? { ...end, tokens: end.tokens + least } : end];
    }),
    most,
  );
}
