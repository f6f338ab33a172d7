/**
 * Names in the order in which they will likely be needed again: what tools were given before what was only shown, lately
 * used before long ago, often before seldom. A name that takes much room has to be worth it, and bare numbers, most of
 * which are places in something that has changed since, come late.
 */
import type { Fact } from "../record/record.ts";
import { weighName } from "./name-weight.ts";

/** The names stand in the order of their last use; of two that are worth the same the later comes first. */
export function rankNames(names: readonly Fact[]): readonly Fact[] {
  const now = names.reduce((latest, { lastUse }) => Math.max(latest, lastUse ?? 0), 0);
  return names
    .map((fact, place) => ({ fact, place, rank: rankOf(fact, now) }))
    .sort((left, right) => right.rank - left.rank || right.place - left.place)
    .map(({ fact }) => fact);
}

const BARE_NUMBER = /^-?[\d.,%]+$/;
const NUMBER_SHARE = 0.3;
const COST_POWER = 0.6;
/** About what stands between two names. */
const LEAST_CHARACTERS = 12;

function rankOf(fact: Fact, now: number): number {
  const shape = BARE_NUMBER.test(fact.text) ? NUMBER_SHARE : 1;
  return (weighName(fact, now) * shape) / (fact.text.length + LEAST_CHARACTERS) ** COST_POWER;
}
