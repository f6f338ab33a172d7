/**
 * Dates that follow from relative phrases in the source, such as "last Friday". In a long chat nearly every date could
 * follow from one, so a date counts as derived only in a line that shares words with such a message.
 */

import { coarserDates } from "../../language/normalize-date.ts";
import { listPossibleDates } from "../../language/relative-dates.ts";
import { extractClaims } from "./extract-claims.ts";

export interface DerivedDates {
  /** For each date, the words of each message that can mean it. */
  readonly wordsByDate: Map<string, ReadonlySet<string>[]>;
  /** Names of speakers, which are in every line and so identify none. */
  readonly names: Set<string>;
}

export function createDerivedDates(): DerivedDates {
  return { wordsByDate: new Map(), names: new Set() };
}

export function addSpeaker({ names }: DerivedDates, name: string): void {
  for (const word of contentWords(name)) names.add(word);
}

export function addDerivedDates(derived: DerivedDates, text: string, saidAt: number): void {
  const { days, others } = listPossibleDates(text, saidAt);
  if (days.length === 0 && others.length === 0) return;
  const words = contentWords(text);
  const keys = others.flatMap((other) =>
    extractClaims(other).flatMap((claim) => claim.keys.map(prefixKey(claim.kind))),
  );
  for (const key of new Set([...days.map(prefixKey("date")), ...keys])) {
    for (const each of [key, ...coarserKeys(key)]) addDateWords(derived, each, words);
  }
}

function prefixKey(kind: string): (key: string) => string {
  return (key) => `${kind}:${key}`;
}

function coarserKeys(key: string): readonly string[] {
  if (!key.startsWith("date:")) return [];
  const date = key.slice("date:".length);
  const year = date.startsWith("-") ? [] : [`number:${date.slice(0, 4)}`];
  return [...coarserDates(date).map(prefixKey("date")), ...year];
}

function addDateWords({ wordsByDate }: DerivedDates, key: string, words: ReadonlySet<string>): void {
  const known = wordsByDate.get(key);
  if (known === undefined) wordsByDate.set(key, [words]);
  else if (known.length < MAX_MESSAGES) known.push(words);
  // Too many messages can mean this date, so none of them is compared.
  else known[0] = NO_WORDS;
}

const MAX_MESSAGES = 60;
const NO_WORDS: ReadonlySet<string> = new Set();

/** Returns true if a message that shares words with the line can mean the date; without a line, if any message can. */
export function isDerivedDate({ wordsByDate, names }: DerivedDates, key: string, line: string | undefined): boolean {
  const said = wordsByDate.get(key);
  if (said === undefined || line === undefined) return said !== undefined;
  const words = [...contentWords(line)].filter((word) => !names.has(word));
  return words.length === 0 || said.some((saying) => saying.size === 0 || words.some((word) => saying.has(word)));
}

/** Returns the first letters of each word, so that endings do not matter. Scripts without spaces have none. */
function contentWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[a-z\u00c0-\u024f]{4,}/g)) {
    if (!COMMON.has(word)) words.add(word.slice(0, STEM_LETTERS));
  }
  return words;
}

const STEM_LETTERS = 4;
const COMMON: ReadonlySet<string> = new Set(
  (
    "about after again around also always been before being both came come could does doing done down each even ever every " +
    "from gave give goes going gone good gonna great have having hear here into it's just keep know last lately like " +
    "look lots made make many maybe more most much must need never next nice only other over really said same says see " +
    "seem shall should since some soon still such sure take tell than thank thanks that that's their them then there " +
    "these they thing things think this those though thought time today tomorrow tonight took totally very want wanted " +
    "week weekend weeks well went were what when where which while will with would wow year years yeah yesterday your " +
    "you're month months morning night evening monday tuesday wednesday thursday friday saturday sunday january february " +
    "march april june july august september october november december user assistant"
  ).split(" "),
);
