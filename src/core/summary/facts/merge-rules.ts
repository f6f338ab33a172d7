/**
 * Merges rules of the user that say the same: "Never push to main" and "Please don't push to main directly". The newest
 * wording stays if it has every word of the older one, else the older one. Rules with other numbers, another polarity or
 * another condition are different rules.
 */
import { contentStems } from "../../language/words.ts";
import type { Fact } from "../record/record.ts";

/** Compares each rule with this many rules before it, so that the work stays linear. */
const MAX_COMPARED = 40;
const MIN_WORDS = 2;

export function mergeEqualRules(facts: readonly Fact[]): readonly Fact[] {
  const rules = facts.filter(({ kind }) => kind === "constraint").map(readRule);
  if (rules.length < 2) return facts;
  const gone = new Set<Fact>();
  const again = new Map<Fact, number>();
  for (const [place, rule] of rules.entries()) {
    for (const earlier of rules.slice(Math.max(0, place - MAX_COMPARED), place)) {
      if (gone.has(earlier.fact) || !isComparable(earlier, rule)) continue;
      if (includes(rule.words, earlier.words)) gone.add(earlier.fact);
      else if (includes(earlier.words, rule.words)) {
        gone.add(rule.fact);
        again.set(earlier.fact, Math.max(earlier.fact.lastTurn, rule.fact.lastTurn));
        break;
      }
    }
  }
  if (gone.size === 0) return facts;
  return facts.flatMap((fact) => {
    const lastTurn = again.get(fact);
    return gone.has(fact) ? [] : [lastTurn === undefined ? fact : { ...fact, lastTurn, uses: fact.uses + 1 }];
  });
}

interface Rule {
  readonly fact: Fact;
  readonly words: ReadonlySet<string>;
  readonly isNegative: boolean;
  readonly hasCondition: boolean;
}

function readRule(fact: Fact): Rule {
  const words = new Set([...contentStems(fact.text)].filter((stem) => !RULE_WORDS.has(stem)));
  return { fact, words, isNegative: NEGATIVE.test(fact.text), hasCondition: CONDITION.test(fact.text) };
}

function isComparable(one: Rule, other: Rule): boolean {
  if (one.words.size < MIN_WORDS || other.words.size < MIN_WORDS || one.fact.owner !== other.fact.owner) return false;
  return one.isNegative === other.isNegative && one.hasCondition === other.hasCondition;
}

function includes(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return others.size <= words.size && [...others].every((word) => words.has(word));
}

/** Words that make a sentence a rule, or polite. */
const RULE_WORDS = contentStems(
  "must should shall always never not please need needs have has make sure ensure remember keep mind important again really just also note " +
    "bitte immer nie niemals muss müssen soll sollen por favor siempre nunca debe deben toujours jamais doit doivent sempre nunca deve devem",
);
const NEGATIVE =
  /\b(?:not|never|no|avoid|without|nie|niemals|nicht|keine?[nmrs]?|nunca|jamás|pas|jamais|não|sem|sin|sans|ohne)\b|n['’]t\b|[不别勿禁]|ない|ません|禁止/iu;
const CONDITION =
  /\b(?:unless|except|until|before|after|if|when|while|only|without|außer|bevor|wenn|nur|ohne|salvo|excepto|hasta|si|solo|sin|sauf|avant|seulement|sans|exceto|até|se|só|sem)\b|除非|之前|如果|只|前に|場合|だけ/iu;
