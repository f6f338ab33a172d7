/**
 * What happens to the tiers when the past of the view changes: a summary, a truncation or a clearing takes all history
 * out, and what is left of it begins anew. Files and outlines stay where they are.
 */
import { kindOf, type TierSnapshot } from "../../sections/tier.ts";
import { TierTable } from "./tier-table.ts";
import type { TierUpdate } from "./track-stability.ts";

export function purgeHistory(snapshot: TierSnapshot): TierUpdate {
  const table = new TierTable(snapshot);
  for (const item of table.items) if (kindOf(item.key) === "history") table.remove(item, "purged");
  return { items: table.items, moves: table.moves, broken: table.broken, delta: table.delta };
}
