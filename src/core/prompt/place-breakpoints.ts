/** Places cache breakpoints: one at the last message that the next prompt will also have, the others at tiers. */
import type { CachedTier } from "../sections/tier.ts";

export const SYSTEM_END = -1;
export const MAX_BREAKPOINTS = 4;

export interface TierEnd {
  readonly tier: CachedTier;
  /** Index of the tier's last message, or `SYSTEM_END`. */
  readonly index: number;
  readonly tokens: number;
}

export interface BreakpointOptions {
  /** The provider's minimum. A breakpoint after a shorter prefix has no effect. */
  readonly minimumTokens: number;
  /** Index of the last message that the next prompt will also have. */
  readonly lastDurable: number | undefined;
  /** One breakpoint for every non-empty tier and none after them, as the workspace preset requires. */
  readonly isOnePerTier?: boolean | undefined;
}

/** Returns indexes of messages, ascending and distinct. */
export function placeBreakpoints(
  tierEnds: readonly TierEnd[],
  { minimumTokens, lastDurable, isOnePerTier = false }: BreakpointOptions,
): readonly number[] {
  const filled = tierEnds.filter(({ tokens }) => tokens > 0);
  if (isOnePerTier) return indicesOf(withEnoughBefore(filled, minimumTokens)).slice(0, MAX_BREAKPOINTS);
  const shared = mergeSmallest(mergeDownwards(filled, minimumTokens), MAX_BREAKPOINTS - 1);
  const last = lastDurable === undefined ? [] : [lastDurable];
  return [...new Set([...indicesOf(shared), ...last])].toSorted((left, right) => left - right);
}

function indicesOf(ends: readonly TierEnd[]): readonly number[] {
  return ends.map(({ index }) => index);
}

/** Drops breakpoints whose whole prefix is below the provider's minimum. */
function withEnoughBefore(ends: readonly TierEnd[], minimumTokens: number): readonly TierEnd[] {
  let before = 0;
  return ends.filter(({ tokens }) => {
    before += tokens;
    return before >= minimumTokens;
  });
}

function mergeDownwards(ends: readonly TierEnd[], minimumTokens: number): readonly TierEnd[] {
  const merged: TierEnd[] = [];
  let carried = 0;
  for (const end of ends) {
    const tokens = carried + end.tokens;
    carried = tokens < minimumTokens ? tokens : 0;
    if (carried === 0) merged.push({ ...end, tokens });
  }
  return merged;
}

/** Merges the smallest tier into the next one, so that the fewest tokens are read again when that one changes. */
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
