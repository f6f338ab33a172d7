/**
 * Closes an open item when a later message reports it as done with all its content words ("fix the login form", "Fixed
 * the login form"). A reverted item is dropped. A summary in the history closes only its own items.
 */

import { contentStems } from "../../language/words.ts";
import { isReversal } from "../read/find-statements.ts";
import type { Fact } from "../record/record.ts";

/** Reports are sentences that close an item with the same words, and are no facts themselves. */
export function resolveItems(facts: readonly Fact[], reports: readonly Fact[] = []): readonly Fact[] {
  const kept = dropReversed(facts);
  const done = [...kept.filter(isDone), ...reports];
  if (done.length === 0) return kept;
  const index = indexWords(done.map(meaningOf));
  const own = done.filter(({ isTakenOver }) => isTakenOver !== true);
  const ownIndex = own.length === done.length ? index : indexWords(own.map(meaningOf));
  const indexFor = ({ isTakenOver }: Fact): WordIndex => (isTakenOver === true ? index : ownIndex);
  return kept.map((fact) => (isClosed(fact, indexFor(fact)) ? { ...fact, status: "done" as const } : fact));
}

export function isDone({ kind, status }: Fact): boolean {
  return kind === "open-item" && status === "done";
}

function dropReversed(facts: readonly Fact[]): readonly Fact[] {
  const reversals = facts.filter((fact) => fact.kind === "decision" && isReversal(fact.text));
  if (reversals.length === 0) return facts;
  const taken = reversals.slice(-MAX_REVERSALS).map((fact) => ({ turn: fact.lastTurn, words: meaningOf(fact) }));
  return facts.filter((fact) => {
    if (!isDone(fact)) return true;
    const words = [...meaningOf(fact)].filter((word) => !DOING.has(word));
    return !taken.some(
      ({ turn, words: back }) =>
        turn >= fact.lastTurn && words.length >= MIN_WORDS && words.every((word) => back.has(word)),
    );
  });
}

const MAX_REVERSALS = 50;
/** Verbs of finished work. A message that reverts the work uses other verbs. */
const DOING: ReadonlySet<string> = new Set(
  "fixed fix fixing added add adding removed remov removing renamed renam merged merg deployed deploy released releas resolved resolv updated updat refactored refactor migrated migrat wrote created creat implemented implement finished finish completed complet".split(
    " ",
  ),
);

type WordIndex = ReadonlyMap<string, ReadonlySet<number>>;

function indexWords(items: readonly ReadonlySet<string>[]): WordIndex {
  const index = new Map<string, Set<number>>();
  for (const [place, words] of items.entries()) {
    for (const word of words) index.set(word, (index.get(word) ?? new Set()).add(place));
  }
  return index;
}

function isClosed(fact: Fact, index: WordIndex): boolean {
  if (fact.kind !== "open-item" || fact.status !== "open") return false;
  const words = [...meaningOf(fact)];
  if (words.length < MIN_WORDS) return false;
  const having = words.map((word) => index.get(word) ?? NONE).sort((left, right) => left.size - right.size);
  const [fewest = NONE, ...others] = having;
  return [...fewest].some((place) => others.every((places) => places.has(place)));
}

const NONE: ReadonlySet<number> = new Set();

const MIN_WORDS = 2;

/** Returns the stems of the content words, without words about the status. */
export function meaningOf({ text }: Fact): ReadonlySet<string> {
  return new Set([...contentStems(text)].filter((stem) => !STATUS_STEMS.has(stem)));
}

const STATUS_STEMS = contentStems("still needs todo next done must new");
