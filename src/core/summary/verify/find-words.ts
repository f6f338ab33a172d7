/**
 * Finds out whether a text contains a fact in similar words: in order, within one sentence, with few words between. A
 * doubtful case counts as absent, because a repeated fact costs a line and a missing one is lost.
 */

import type { Message } from "../../message/message.ts";
import { runSteps } from "../../tokens/count-text.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import { readSourceInSteps, type SourceOptions } from "../claims/read-source.ts";
import { findSupport } from "../claims/source-index.ts";
import { factWords } from "../facts/make-fact.ts";
import { withoutSummary } from "../record/cover-text.ts";
import { renderFact } from "../record/layout.ts";
import type { Claim, Fact } from "../record/record.ts";
import { messageTexts } from "../text/message-texts.ts";
import { splitSentences } from "../text/split-sentences.ts";

export interface WordFinder {
  /** Compares names by key, and other facts by their words. */
  hasFact(fact: Fact): boolean;
  hasWords(text: string): boolean;
}

export function createWordFinder(text: string, claims: readonly Claim[] = extractClaims(text)): WordFinder {
  const whole = factWords(text);
  const keys = new Set(claims.flatMap((claim) => claim.keys.map((key) => `${claim.kind}:${key}`)));
  let sentences: SentenceIndex | undefined;
  let words: ReadonlySet<string> | undefined;
  const hasWord = (word: string): boolean => {
    words ??= new Set(whole.split(/[^\p{L}\p{N}_]+/u));
    return words.has(word);
  };
  const hasWords = (wanted: string): boolean => {
    const said = factWords(wanted);
    // A single letter occurs in so many words that the search would reach its limit.
    if (ONE_WORD.test(said) ? hasWord(said) : hasWhole(whole, said)) return true;
    sentences ??= indexSentences(text);
    return hasInOrder(sentences, trimmedWordsOf(wanted));
  };
  return {
    hasWords,
    hasFact: (fact) => (fact.kind === "identifier" ? hasName(fact, { keys, whole }) : hasWords(fact.text)),
  };
}

function hasName(
  { text }: Fact,
  { keys, whole }: { readonly keys: ReadonlySet<string>; readonly whole: string },
): boolean {
  const claims = extractClaims(text);
  if (claims.length === 0) return hasWhole(whole, factWords(text));
  return claims.every((claim) => claim.keys.some((key) => keys.has(`${claim.kind}:${key}`)));
}

/** Matches at word boundaries, so that `a.ts` is not found in `a.tsx`. */
function hasWhole(text: string, wanted: string): boolean {
  if (wanted === "") return true;
  for (let tries = 0, place = text.indexOf(wanted); place >= 0 && tries < MAX_TRIES; tries += 1) {
    const end = place + wanted.length;
    const opens = !WORD.test(text.charAt(place - 1)) || !WORD.test(wanted.charAt(0));
    const closes = !WORD.test(text.charAt(end)) || !WORD.test(wanted.charAt(wanted.length - 1));
    if (opens && closes) return true;
    place = text.indexOf(wanted, place + 1);
  }
  return false;
}

const ONE_WORD = /^[\p{L}\p{N}_]+$/u;
const MAX_TRIES = 200;
const WORD = /[\p{L}\p{N}_]/u;

interface SentenceIndex {
  readonly sentences: readonly (readonly string[])[];
  readonly placesOf: ReadonlyMap<string, readonly number[]>;
}

function indexSentences(text: string): SentenceIndex {
  const sentences = splitSentences(text).map((sentence) => trimmedWordsOf(sentence.text));
  const placesOf = new Map<string, number[]>();
  for (const [place, words] of sentences.entries()) {
    for (const word of new Set(words)) {
      const places = placesOf.get(word);
      if (places === undefined) placesOf.set(word, [place]);
      else places.push(place);
    }
  }
  return { sentences, placesOf };
}

function hasInOrder({ sentences, placesOf }: SentenceIndex, wanted: readonly string[]): boolean {
  if (wanted.length < MIN_WORDS) return false;
  let rarest: readonly number[] | undefined;
  for (const word of wanted) {
    const places = placesOf.get(word);
    if (places === undefined) return false;
    if (rarest === undefined || places.length < rarest.length) rarest = places;
  }
  return (rarest ?? []).slice(0, MAX_TRIES).some((place) => isWithin(wanted, sentences[place] ?? []));
}

const MIN_WORDS = 3;

/** Returns true if the words occur in order, in a span of 1.5 times their number and a few more. */
function isWithin(wanted: readonly string[], words: readonly string[]): boolean {
  let next = 0;
  let start = 0;
  for (const [place, word] of words.entries()) {
    if (word !== wanted[next]) continue;
    if (next === 0) start = place;
    next += 1;
    if (next === wanted.length) return place - start <= wanted.length * 1.5 + 4;
  }
  return false;
}

function trimmedWordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_'’./-]+/gu) ?? []).map(bareWord).filter((word) => word !== "");
}

function bareWord(word: string): string {
  let start = 0;
  let end = word.length;
  while (start < end && "'’./-".includes(word.charAt(start))) start += 1;
  while (end > start && "'’./-".includes(word.charAt(end - 1))) end -= 1;
  const bare = word.slice(start, end);
  return ARTICLES.has(bare) ? "" : bare;
}

const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "the", "please"]);

/**
 * Keeps proposed facts whose names, numbers and dates are in the source. The user must have stated constraints and
 * goals, so that a fetched page cannot inject instructions through the summarizer.
 */
export function keepSupportedFacts(
  facts: readonly Fact[],
  messages: readonly Message[],
  options: Pick<SourceOptions, "previous" | "derived"> = {},
): readonly Fact[] {
  const source = runSteps(readSourceInSteps(messages, options));
  const users = messages.filter(({ role }) => role === "user");
  const said = createWordFinder(readSpokenText(users));
  const spoken = messages.filter(({ role }) => role === "user" || role === "assistant");
  const told = createWordFinder(readSpokenText(spoken));
  return facts.filter((fact) => {
    if (BINDING.has(fact.kind) && !said.hasWords(fact.text)) return false;
    if (STATED.has(fact.kind) && !told.hasWords(fact.text)) return false;
    return extractClaims(renderFact(fact)).every((claim) => findSupport(source, claim) !== "none");
  });
}

function readSpokenText(messages: readonly Message[]): string {
  return messages.flatMap((message) => messageTexts(message).spoken.map(withoutSummary)).join("\n");
}

/** Kinds that a user or assistant message must state, because they last as long as the chain. */
const STATED: ReadonlySet<string> = new Set(["decision", "definition", "open-item", "question"]);
const BINDING: ReadonlySet<string> = new Set(["pin-note", "constraint", "goal"]);
