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
  return [...settled, ...chooseHistory(history, { isRewritten, rules })];
}

function chooseHistory(
  history: readonly TrackedItem[],
  { isRewritten, rules }: { readonly isRewritten: boolean; readonly rules: TierRules },
): readonly TrackedItem[] {
  const { targetTokens } = rules;
  if (targetTokens === 0) return [];
  if (isRewritten) return history;
  return sumTokens(history) > targetTokens ? allButNewest(history, targetTokens) : [];
}

/** The oldest, so that at least so many tokens of the newest are left. */
export function allButNewest(history: readonly TrackedItem[], keptTokens: number): readonly TrackedItem[] {
  let rest = sumTokens(history);
  const chosen: TrackedItem[] = [];
  for (const item of history) {
    if (rest - item.tokens < keptTokens) break;
    rest -= item.tokens;
    chosen.push(item);
  }
  return chosen;
}
