/**
 * Of the clauses that seem to say the opposite of their source, those that do not quote it. A sentence of the summary
 * quotes where its words stand in the source one after the other, with others left out between them at most, and none
 * of what was left out, or stands right before them, denies anything. What was cut in two by a line end, or by the mark
 * of a list, is one sentence here.
 */

import { textPieces } from "../../language/text-pieces.ts";
import type { Message } from "../../message/message.ts";
import { isDenial } from "../claims/find-flipped.ts";
import type { Claim } from "../record/record.ts";
import { messageTexts } from "../text/message-texts.ts";

export function* withoutQuotes(
  flipped: readonly Claim[],
  summary: string,
  messages: readonly Message[],
): Generator<undefined, readonly Claim[]> {
  let left = flipped.map((claim) => ({ claim, quotes: quotesAround(summary, claim) }));
  for (const message of flipped.length === 0 ? [] : messages) {
    if (left.length === 0) break;
    for (const text of messageTexts(message).said) {
      for (const piece of textPieces(text)) {
        const said = readSaid(piece);
        left = left.filter(({ quotes }) => !quotes.some((words) => isQuoted(words, said)));
        yield undefined;
      }
    }
  }
  return left.map(({ claim }) => claim);
}

/** The clause, and its sentence from each of the labels on that stand before it. */
function quotesAround(summary: string, { start, end, text }: Claim): readonly (readonly string[])[] {
  const before = summary.slice(Math.max(0, start - LONGEST_SENTENCE), start);
  const after = summary.slice(end, end + LONGEST_SENTENCE);
  const from = before.search(/[^\n;.!?()]*$/);
  const to = after.search(/[\n;()]|[.!?](?=\s|$)/);
  const sentence = `${before.slice(from)}${text}${to < 0 ? after : after.slice(0, to)}`;
  const labels = [...sentence.matchAll(/[:：] /g)].slice(0, MOST_LABELS).map(({ index }) => sentence.slice(index + 1));
  return [text, sentence, ...labels.filter((rest) => rest.includes(text.trim()))].map(wordsOf);
}

const LONGEST_SENTENCE = 400;
const MOST_LABELS = 3;

interface Said {
  readonly words: readonly string[];
  readonly placesOf: ReadonlyMap<string, readonly number[]>;
  /** Words that begin a sentence. */
  readonly starts: ReadonlySet<number>;
}

function readSaid(text: string): Said {
  const words: string[] = [];
  const placesOf = new Map<string, number[]>();
  const starts = new Set<number>();
  for (const sentence of text.split(SENTENCE_END)) {
    starts.add(words.length);
    for (const word of wordsOf(sentence)) {
      const places = placesOf.get(word);
      if (places === undefined) placesOf.set(word, [words.length]);
      else places.push(words.length);
      words.push(word);
    }
  }
  return { words, placesOf, starts };
}

const SENTENCE_END = /[.!?。！？](?=\s|$)/;
const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu;

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(WORD) ?? []).map((word) => word.replaceAll("’", "'"));
}

function isQuoted(quote: readonly string[], said: Said): boolean {
  const places = said.placesOf.get(quote[0] ?? "") ?? [];
  return places.slice(-MOST_PLACES).some((place) => !isDeniedBefore(said, place) && follows(quote, said.words, place));
}

const MOST_PLACES = 40;
/** A "not" that stands so far before still denies. */
const DENIAL_WORDS = 8;

function isDeniedBefore({ words, starts }: Said, place: number): boolean {
  for (let before = place; before > place - DENIAL_WORDS && before > 0 && !starts.has(before); before -= 1) {
    if (isDenial(words[before - 1] ?? "")) return true;
  }
  return false;
}

/** So many words may be left out for each that stays. */
const LEFT_OUT_SHARE = 1;
const LEFT_OUT_LEAST = 6;

function follows(quote: readonly string[], words: readonly string[], place: number): boolean {
  const last = place + quote.length * (1 + LEFT_OUT_SHARE) + LEFT_OUT_LEAST;
  let found = 0;
  for (let next = place; next < words.length && next < last && found < quote.length; next += 1) {
    const word = words[next] ?? "";
    if (word === quote[found]) found += 1;
    else if (isDenial(word)) return false;
  }
  return quote.length > 0 && found === quote.length;
}
