/**
 * A tier that holds less than a provider caches is no tier: what is in it moves one down and keeps its age. Tiers that
 * were written anew in this request are left alone, as is the lowest, below which nothing is cached.
 */
import type { CachedTier } from "../../sections/tier.ts";
import type { TierRules } from "./tier-rules.ts";
import type { TierTable } from "./tier-table.ts";

const DOWNWARDS: readonly (readonly [from: CachedTier, to: CachedTier])[] = [
  ["L2", "L3"],
  ["L1", "L2"],
  ["L0", "L1"],
];

export function sinkUnderfilled(table: TierTable, rules: TierRules): void {
  const underfilled = DOWNWARDS.filter(([from]) => {
    const tokens = table.tokensIn(from);
    return tokens > 0 && tokens < rules.targetTokens && !table.isBroken(from);
  });
  for (const [from, to] of underfilled) {
    for (const item of table.itemsIn(from)) table.move(item, to, { reason: "underfilled", keepsSeen: true });
  }
}
