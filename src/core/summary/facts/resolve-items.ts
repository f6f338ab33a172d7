/**
 * Closes an open item when a later message reports it as done with all its content words ("fix the login form", "Fixed
 * the login form"). A reverted item is dropped. A summary in the history closes only its own items.
 */

import { listOtherLanguages } from "../../language/detect-language.ts";
import { listWords } from "../../language/list-words.ts";
import { isFunctionWord } from "../../language/other-language.ts";
import { stemForm } from "../../language/stem-word.ts";
import { contentStems, contentWords, isUnspaced } from "../../language/words.ts";
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
  const told = reports.map(readReport);
  const isFinished = (fact: Fact): boolean => isClosed(fact, indexFor(fact)) || isReported(fact, told);
  return kept.map((fact) => (isFinished(fact) ? { ...fact, status: "done" as const } : fact));
}

interface Report {
  readonly report: Fact;
  readonly words: ReadonlySet<string>;
  readonly isEnglish: boolean;
}

function readReport(report: Fact): Report {
  const words = new Set(contentWords(report.text).map(stemForm));
  return { report, words, isEnglish: listOtherLanguages(report.text).length === 0 };
}

/**
 * Compares base words: "wrote the changelog" closes "write the changelog". Other languages inflect verbs in more ways,
 * so their words only need the same start: "comprar", "já foram compradas".
 */
function isReported(item: Fact, reports: readonly Report[]): boolean {
  if (item.kind !== "open-item" || item.status !== "open" || reports.length === 0) return false;
  const words = contentWords(item.text)
    .map(stemForm)
    .filter((word) => !REMAINING.has(word) && !isFunctionWord(word));
  const share = words.some(isUnspaced) ? MIN_RUN_SHARE : 1;
  return (
    words.length >= MIN_WORDS &&
    reports.some(({ report, words: told, isEnglish }) => {
      if (item.lastTurn > report.lastTurn || item.source === report.source) return false;
      const isTold = (word: string): boolean =>
        told.has(word) || (!isEnglish && [...told].some((other) => hasSameStart(word, other)));
      return words.filter(isTold).length >= share * words.length;
    })
  );
}

/** Pairs of characters differ if the words of an item are reported in another order. */
const MIN_RUN_SHARE = 0.6;
const MIN_START = 4;
const MIN_START_SHARE = 0.6;

function hasSameStart(left: string, right: string): boolean {
  const [one, other] = [left, right].map((word) => word.replace(/^ge(?=.{4})/, "")) as [string, string];
  if (left === right || one === other) return true;
  const longest = Math.max(one.length, other.length);
  const start = one.slice(0, Math.max(MIN_START, Math.ceil(MIN_START_SHARE * longest)));
  return start.length >= MIN_START && other.startsWith(start);
}

/** Words by which an item is open. */
const REMAINING: ReadonlySet<string> = new Set(
  contentWords(
    "still needs need todo next must left remaining muss müssen fehlt fehlen nächster schritt faut faudra reste restent manque devons dois falta faltan queda quedan tenemos debemos hay todavía aún ainda precisamos preciso temos falta 还要 还需 需要 まだ 必要",
  ).map(stemForm),
);

export function isDone({ kind, status }: Fact): boolean {
  return kind === "open-item" && status === "done";
}

/** Leaves out items that say nothing alone ("The analysis is complete."), and those whose words another item has. */
export function listTellingItems(done: readonly Fact[]): readonly Fact[] {
  const words = done.map(({ text }) => [...contentStems(text)].filter((word) => !DOING.has(word) && !WORK.has(word)));
  const sets = words.map((own) => new Set(own));
  return done.filter(({ text }, place) => {
    const own = words[place] ?? [];
    if (own.length === 0 && !NAMED.test(text)) return false;
    // One word is too little to call two items the same.
    return (
      own.length < 2 ||
      !sets.some((other, index) => {
        const isOther = other.size > own.length || (other.size === own.length && index > place);
        return isOther && own.every((word) => other.has(word));
      })
    );
  });
}

/** Matches a name or a number. */
const NAMED = /\d|\w[./_#@]\w|[a-z][A-Z]|[\u0080-\uffff]/;

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

/** Nouns for work that do not say which work it was. */
const WORK: ReadonlySet<string> = new Set(
  listWords(
    "analysis assessment change changes check exploration fix implementation investigation job migration plan request research review step task work",
  ).map(stemForm),
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
