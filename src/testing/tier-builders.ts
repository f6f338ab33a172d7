/** Items of cache tiers for tests: what was tracked before a request, what is there now, and where each stands after. */
import { LADDER } from "../core/prompt/tiers/tier-rules.ts";
import type { PresentItem, TierUpdate } from "../core/prompt/tiers/track-stability.ts";
import type { Tier, TrackedItem } from "../core/sections/tier.ts";

export function aFile(name: string, changes: Partial<PresentItem> = {}): PresentItem {
  return { key: `file:${name}`, hash: name, tokens: 400, enters: true, ...changes };
}

export function saidAt(seq: number, tokens = 300): PresentItem {
  return { key: `history:${seq}`, hash: `${seq}`, tokens, enters: true };
}

/** With the age of its tier. */
export function tracked(key: string, tier: Tier, changes: Partial<TrackedItem> = {}): TrackedItem {
  const hash = key.slice(key.indexOf(":") + 1);
  return { key, tier, seen: LADDER[tier].entry, hash, tokens: 400, ...changes };
}

export function presenceOf({ key, hash, tokens }: TrackedItem): PresentItem {
  return { key, hash, tokens, enters: true };
}

/** By key, as "L3 4": the tier, and how often it was seen unchanged. */
export function placesOf({ items }: Pick<TierUpdate, "items">): Readonly<Record<string, string>> {
  return Object.fromEntries(items.map(({ key, tier, seen }) => [key, `${tier} ${seen}`]));
}
