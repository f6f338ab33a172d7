/**
 * Chooses the facts that a summary must hold: the top of the ranking, as far as a share of the summary's budget goes.
 * Constraints and pin notes are never left out; where they alone are above the share, they are the floor and nothing
 * else is protected. What no longer fits is `evicted`, and a smaller fact behind a larger one may still find room.
 */
import type { Fact, FactSheet, ProtectedFacts } from "../record.ts";
import { isNeverEvicted, rankFacts } from "./rank-facts.ts";
import { FACTS_HEADING, renderFact } from "./render-facts.ts";

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
  const cost = (fact: Fact): number => count(`${renderFact(fact)}\n`);
  const fixed = ranked.filter(isNeverEvicted);
  const heading = ranked.length === 0 ? 0 : count(`${FACTS_HEADING}\n`);
  const fixedTokens = fixed.reduce((tokens, fact) => tokens + cost(fact), heading);
  const cap = Math.floor(budgetTokens * protectedShare);
  const facts = [...fixed];
  const evicted: Fact[] = [];
  let tokens = fixed.length === 0 ? heading : fixedTokens;
  for (const fact of ranked) {
    if (isNeverEvicted(fact)) continue;
    const next = tokens + cost(fact);
    if (next <= cap) {
      facts.push(fact);
      tokens = next;
    } else evicted.push(fact);
  }
  const isFloor = fixed.length > 0 && fixedTokens > cap;
  return { facts, evicted, tokens: facts.length === 0 ? 0 : tokens, floorTokens: isFloor ? fixedTokens : 0 };
}
