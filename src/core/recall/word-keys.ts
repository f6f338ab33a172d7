/**
 * Keys by which stores find messages: a number for each content word of a text. Forms of one word share a key.
 * Different words rarely do, so a message that is found by a key is ranked by its text.
 */
import { stemForm, stemWord } from "../language/stem-word.ts";
import { isUnspaced, splitWords, termsOfPiece } from "../language/words.ts";

/** Raised when texts get other keys. Stores then index their sessions again. */
export const WORD_KEYS_VERSION = 2;

/** Number of letters that count, so that "decorate", "decoration" and "decorator" share a key. */
const LETTERS = 5;
const WORDS_PER_STEP = 5_000;

/** Yields every millisecond or two. */
export function* readWordKeysInSteps(text: string): Generator<undefined, ReadonlySet<number>> {
  const keys = new Set<number>();
  const known = new Set<string>();
  let read = 0;
  for (const piece of splitWords(text)) {
    read += 1;
    if (read % WORDS_PER_STEP === 0) yield undefined;
    if (known.has(piece)) continue;
    known.add(piece);
    for (const part of piece.includes("_") ? [piece, ...piece.split("_")] : [piece]) addKeys(part, keys);
  }
  return keys;
}

/** Returns the key of one word in any of its forms. */
export function findWordKey(word: string): number {
  return hashWord(isUnspaced(word) ? word : stripEndings(stemForm(word)));
}

function addKeys(piece: string, keys: Set<number>): void {
  const isRun = isUnspaced(piece);
  for (const term of termsOfPiece(piece)) keys.add(hashWord(isRun ? term : stripEndings(term)));
}

/** Strips endings until none is left, because a form may have two: "strings", "string". */
function stripEndings(term: string): string {
  let stem = term;
  for (let shorter = stemWord(stem); shorter !== stem; shorter = stemWord(stem)) stem = shorter;
  const singular = joinShortPlural(stem);
  if (singular !== stem) return singular;
  return stem.length <= LETTERS || /[\d_]/.test(stem) ? stem : [...stem].slice(0, LETTERS).join("");
}

/** Joins short plurals such as "oars" with their singular, which stemming does not join. */
export function joinShortPlural(term: string): string {
  return SHORT_PLURAL.test(term) ? term.slice(0, -1) : term;
}

const SHORT_PLURAL = /^[a-z]{2}[^sui\d_]s$/;

/** FNV-1a, as a signed integer of 32 bits. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash;
}
