/**
 * Chooses the facts that a summary must hold: the top of the ranking, as far as a share of the summary's budget goes.
 * Constraints may fill more than that share, up to the whole budget; of those that do not fit even then, the ones that
 * were said longest ago go. Pin notes never go. What an earlier summary reports comes after all others, in what room is
 * left. What no longer fits is `evicted`, and a smaller fact behind a larger one may still
 * find room.
 */
import type { Fact, FactSheet, ProtectedFacts } from "../record/record.ts";
import { FACTS_HEADING, renderFact } from "../record/render-facts.ts";
import { isChosenFirst, rankFacts } from "./rank-facts.ts";

export interface ChooseProtectedOptions {
  /** The budget of the whole summary. */
  readonly budgetTokens: number;
  /** How much of it protected facts may take. */
  readonly protectedShare?: number | undefined;
  readonly count: (text: string) => number;
}

export const DEFAULT_PROTECTED_SHARE = 0.5;

export function chooseProtected(sheet: FactSheet, options: ChooseProtectedOptions): ProtectedFacts {
  const { budgetTokens, protectedShare = DEFAULT_PROTECTED_SHARE, count } = options;
  const ranked = rankFacts(sheet);
  if (ranked.length === 0) return { facts: [], evicted: [], tokens: 0, floorTokens: 0 };
  const cost = (fact: Fact): number => count(`${renderFact(fact)}\n`);
  const room = { left: budgetTokens - count(`${FACTS_HEADING}\n`) };
  const chosen = new Set<Fact>();
  const take = (fact: Fact, reserved: number): void => {
    const tokens = cost(fact);
    if (fact.kind !== "pin-note" && room.left - tokens < reserved) return;
    chosen.add(fact);
    room.left -= tokens;
  };
  const constraints = ranked.filter(({ kind }) => kind === "constraint").toSorted(byLastSaid);
  for (const fact of ranked.filter(({ kind }) => kind === "pin-note")) take(fact, 0);
  for (const fact of constraints) take(fact, 0);
  const fixedTokens = budgetTokens - room.left;
  const reserved = budgetTokens - Math.floor(budgetTokens * protectedShare);
  for (const fact of ranked) if (fact.kind !== "reported" && !isChosenFirst(fact)) take(fact, reserved);
  for (const fact of ranked) if (fact.kind === "reported") take(fact, 0);
  const facts = ranked.filter((fact) => chosen.has(fact));
  const isFloor = facts.some(isChosenFirst) && fixedTokens > budgetTokens - reserved;
  return {
    facts,
    evicted: ranked.filter((fact) => !chosen.has(fact)),
    tokens: facts.length === 0 ? 0 : budgetTokens - room.left,
    floorTokens: isFloor ? fixedTokens : 0,
  };
}

/** Said lately before said long ago. */
function byLastSaid(left: Fact, right: Fact): number {
  return right.lastTurn - left.lastTurn;
}
