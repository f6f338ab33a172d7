/**
 * What happens to the tiers when the past of the view changes. A summary, a truncation or a clearing takes all history
 * out: what is left of it begins anew. A prune lets fall only what stands from the first touched message's tier on, so
 * that what a provider holds of older tiers stays warm.
 */
import { kindOf, seqOf, TIERS, type TierSnapshot } from "../../sections/tier.ts";
import { TierTable } from "./tier-table.ts";
import type { TierUpdate } from "./track-stability.ts";

export function purgeHistory(snapshot: TierSnapshot): TierUpdate {
  const table = new TierTable(snapshot);
  for (const item of table.items) if (kindOf(item.key) === "history") table.remove(item, "purged");
  return { items: table.items, moves: table.moves, broken: table.broken };
}

/** History of the tier that holds `seq`, and of those after it, is active again. */
export function demoteHistoryFrom(snapshot: TierSnapshot, seq: number): TierUpdate {
  const table = new TierTable(snapshot);
  const first = firstTierTouched(snapshot, seq);
  for (const item of table.items) {
    const isTouched = kindOf(item.key) === "history" && TIERS.indexOf(item.tier) >= TIERS.indexOf(first);
    if (isTouched && item.tier !== "active") table.move(item, "active", { reason: "changed" });
  }
  return { items: table.items, moves: table.moves, broken: table.broken };
}

function firstTierTouched(snapshot: TierSnapshot, seq: number) {
  const touched = snapshot.filter(({ key }) => kindOf(key) === "history" && seqOf(key) >= seq);
  return TIERS.find((tier) => touched.some((item) => item.tier === tier)) ?? "active";
}
