/**
 * The order in which facts are given room: pin notes and constraints, the goal, open items and questions, decisions,
 * what the user said something is, what an earlier summary reports, then names. Names that are in use (in the last three turns, or by an open item) come before those that only the user
 * has said; a name that is neither, and whatever is done, is not ranked at all.
 *
 * Equal facts keep the order in which they were said, so the same facts always give the same ranking.
 */

import { rankNames } from "../facts/rank-names.ts";
import type { Fact, FactKind, FactSheet } from "../record/record.ts";

export function rankFacts({ facts, turns }: FactSheet): readonly Fact[] {
  const openText = facts.flatMap((fact) => (isOpen(fact) ? [fact.text.toLowerCase()] : [])).join("\n");
  const tiers: Fact[][] = [];
  for (const fact of facts) {
    const tier = tierOf(fact, { turns, openText });
    if (tier === undefined) continue;
    const members = tiers[tier];
    if (members === undefined) tiers[tier] = [fact];
    else members.push(fact);
  }
  return tiers.flatMap((members, tier) => (tier >= NAMES_IN_USE ? rankNames(members) : members));
}

/** Pin notes and constraints: chosen before the protected share applies. */
export function isChosenFirst({ kind }: Fact): boolean {
  return kind === "pin-note" || kind === "constraint";
}

export const LIVE_TURNS = 3;
const NAMES_IN_USE = 7;
const TIERS: Partial<Record<FactKind, number>> = {
  "pin-note": 0,
  constraint: 1,
  goal: 2,
  "open-item": 3,
  question: 3,
  decision: 4,
  definition: 5,
  reported: 6,
  // What a kernel holds cannot be read from any file, so that a cell which ran is as good as decided.
  "notebook-cell": 4,
};

interface Use {
  readonly turns: number;
  readonly openText: string;
}

function tierOf(fact: Fact, { turns, openText }: Use): number | undefined {
  if (fact.status === "done") return undefined;
  if (fact.kind !== "identifier") return TIERS[fact.kind];
  const isLive = fact.lastTurn >= turns - LIVE_TURNS || openText.includes(fact.text.toLowerCase());
  if (isLive) return NAMES_IN_USE;
  return fact.saidBy === "user" ? NAMES_IN_USE + 1 : undefined;
}

function isOpen({ kind, status }: Fact): boolean {
  return (kind === "open-item" || kind === "question") && status === "open";
}
