/** What one request has changed of the tiers: small, because most of what is tracked stays as it is. */
import type { TierSnapshot, TrackedItem } from "./tier.ts";

export interface TierDelta {
  /** New, moved or aged, as they are now. */
  readonly set: readonly TrackedItem[];
  readonly gone: readonly string[];
}

/** Undefined where nothing has changed. */
export function diffTiers(before: TierSnapshot, after: TierSnapshot): TierDelta | undefined {
  const known = new Map(before.map((item) => [item.key, item]));
  const set = after.filter((item) => !isSame(known.get(item.key), item));
  const left = new Set(after.map(({ key }) => key));
  const gone = before.filter(({ key }) => !left.has(key)).map(({ key }) => key);
  return set.length === 0 && gone.length === 0 ? undefined : { set, gone };
}

export function applyTierDelta(before: TierSnapshot, { set, gone }: TierDelta): TierSnapshot {
  const touched = new Set([...gone, ...set.map(({ key }) => key)]);
  // What moved stands behind what did not, in the order in which it did: as the tracker leaves it.
  return [...before.filter(({ key }) => !touched.has(key)), ...set];
}

export function isSame(left: TrackedItem | undefined, right: TrackedItem): boolean {
  if (left === undefined) return false;
  const { tier, seen, hash, tokens } = left;
  return tier === right.tier && seen === right.seen && hash === right.hash && tokens === right.tokens;
}
