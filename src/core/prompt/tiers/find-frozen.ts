/**
 * What must not be pruned while a provider still has it in its cache: history that stands in one of the first three
 * tiers. Whoever shortened it would have all that stands behind it read anew.
 */
import { kindOf, seqOf, type TierSnapshot } from "../../sections/tier.ts";

/** Whether a message of the log stands there. A group is known by its first message and goes on to the next group's. */
export function findFrozen(tiers: TierSnapshot): (seq: number) => boolean {
  const groups = tiers
    .filter(({ key }) => kindOf(key) === "history")
    .map(({ key, tier }) => ({ firstSeq: seqOf(key), isFrozen: tier !== "active" && tier !== "L3" }))
    .toSorted((left, right) => left.firstSeq - right.firstSeq);
  return (seq) => groups.findLast(({ firstSeq }) => firstSeq <= seq)?.isFrozen === true;
}
