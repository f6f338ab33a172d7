/**
 * Which active items enter the lowest cached tier. A file or an outline enters when it was seen unchanged often enough,
 * chosen or not. A message never changes, so its age says nothing: it enters when the tier is written anew anyway, and
 * when there is much of it.
 */
import { kindOf, type TrackedItem } from "../../sections/tier.ts";
import { LADDER, type TierRules } from "./tier-rules.ts";
import { byAge, sumTokens, type TierTable } from "./tier-table.ts";

export function chooseGraduates(table: TierTable, rules: TierRules): readonly TrackedItem[] {
  const active = table.itemsIn("active");
  const settled = active.filter(({ key, seen }) => kindOf(key) !== "history" && seen >= LADDER.active.promotion);
  const history = active.filter(({ key }) => kindOf(key) === "history").toSorted(byAge);
  const isRewritten = settled.length > 0 || table.isBroken("L3");
  if (rules.targetTokens === 0) return settled;
  return [...settled, ...(isRewritten ? history : allButNewest(table.unitsOf(history), rules.targetTokens))];
}

/** The oldest exchanges, so that at least so many tokens of the newest are left. */
export function allButNewest(
  exchanges: readonly (readonly TrackedItem[])[],
  keptTokens: number,
): readonly TrackedItem[] {
  let rest = exchanges.reduce((sum, items) => sum + sumTokens(items), 0);
  const chosen: TrackedItem[] = [];
  for (const items of exchanges) {
    rest -= sumTokens(items);
    if (rest < keptTokens) break;
    chosen.push(...items);
  }
  return chosen;
}
