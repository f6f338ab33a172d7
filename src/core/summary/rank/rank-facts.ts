/**
 * Ranks facts: pin notes and constraints, goal, open items, decisions, definitions, reported facts, then files that
 * were changed, recent names, and older names by the user. Stable; other facts and done items are not ranked.
 */
import { rankNames } from "../facts/fact-list.ts";
import { isChangedFile } from "../read/tool-use.ts";
import { FACTS_HEADING, renderFact } from "../record/layout.ts";
import type { Fact, FactKind, FactSheet, ProtectedFacts } from "../record/record.ts";
import { FACT_WEIGHTS } from "../weights.ts";

export function rankFacts({ facts, turns }: FactSheet): readonly Fact[] {
  const openText = facts.flatMap((fact) => (isOpen(fact) ? [fact.text.toLowerCase()] : [])).join("\n");
  const tiers: Fact[][] = [];
  for (const fact of facts) {
    const tier = tierOf(fact, turns, openText);
    if (tier === undefined) continue;
    const members = tiers[tier];
    if (members === undefined) tiers[tier] = [fact];
    else members.push(fact);
  }
  return tiers.flatMap((members, tier) => (tier >= NAMES_IN_USE ? rankNames(members) : members));
}

/** Returns true for pin notes and constraints, which the protected share does not limit. */
export function isChosenFirst({ kind }: Fact): boolean {
  return kind === "pin-note" || kind === "constraint";
}

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
  // The state of a kernel is in no file, so a cell that ran ranks like a decision.
  "notebook-cell": 4,
};

function tierOf(fact: Fact, turns: number, openText: string): number | undefined {
  if (fact.status === "done") return undefined;
  if (fact.kind !== "identifier") return TIERS[fact.kind];
  const isLive = fact.lastTurn >= turns - FACT_WEIGHTS.liveTurns || openText.includes(fact.text.toLowerCase());
  if (isChangedFile(fact)) return NAMES_IN_USE;
  if (isLive) return NAMES_IN_USE + 1;
  return fact.saidBy === "user" ? NAMES_IN_USE + 2 : undefined;
}

function isOpen({ kind, status }: Fact): boolean {
  return (kind === "open-item" || kind === "question") && status === "open";
}

export interface ChooseProtectedOptions {
  readonly budgetTokens: number;
  readonly protectedShare?: number | undefined;
  readonly count: (text: string) => number;
}

/**
 * Chooses the facts that a summary must contain, in the order of the ranking, up to a share of its budget. Constraints
 * may fill the whole budget, the newest first; pin notes are always included. Reported facts come last. A smaller fact
 * may still fit after a larger one is evicted.
 */
export function chooseProtected(sheet: FactSheet, options: ChooseProtectedOptions): ProtectedFacts {
  const { budgetTokens, protectedShare = FACT_WEIGHTS.protectedShare, count } = options;
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
  const constraints = ranked
    .filter(({ kind }) => kind === "constraint")
    .sort((left, right) => right.lastTurn - left.lastTurn);
  for (const fact of ranked.filter(({ kind }) => kind === "pin-note")) take(fact, 0);
  for (const fact of constraints) take(fact, 0);
  const fixedTokens = budgetTokens - room.left;
  const reserved = budgetTokens - Math.floor(budgetTokens * protectedShare);
  for (const fact of ranked)
    if (fact.kind !== "reported" && fact.kind !== "identifier" && !isChosenFirst(fact)) take(fact, reserved);
  const namesReserved = Math.max(reserved, room.left - Math.floor(budgetTokens * FACT_WEIGHTS.namesShare));
  for (const fact of ranked) if (fact.kind === "identifier") take(fact, namesReserved);
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
