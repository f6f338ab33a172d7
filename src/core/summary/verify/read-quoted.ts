/**
 * Reads only the part of a source that a summary quotes: the lines of the cited messages that contain its claims. A
 * claim that is supported there is supported by the whole source.
 */
import { PIECE_CHARACTERS, textPieces } from "../../language/text-pieces.ts";
import type { Message, MessageId } from "../../message/message.ts";
import { isDenial } from "../claims/find-contradictions.ts";
import { addSpeech, addTextsInSteps, findSupport, type SourceIndex } from "../claims/source-index.ts";
import type { Claim, SummaryLine } from "../record/record.ts";
import { messageTexts } from "../text/message-texts.ts";

export interface QuotedLines {
  readonly claims: readonly Claim[];
  readonly lines: readonly SummaryLine[];
}

/**
 * Adds quoted lines to the index. Returns false if a claim is not found; the whole source must then be read.
 */
export function* addQuotedInSteps(
  index: SourceIndex,
  messages: readonly Message[],
  { claims, lines }: QuotedLines,
): Generator<undefined, boolean> {
  const isFound = (claim: Claim): boolean => findSupport(index, claim) === "source";
  const readTexts = createTextReader(index, messages);
  const read = new Set<string>();
  let next = 0;
  let lineEnd = -1;
  for (const { text, messageIds } of lines) {
    lineEnd += text.length + 1;
    for (let claim = claims[next]; claim !== undefined && claim.start < lineEnd; claim = claims[next]) {
      next += 1;
      if (isFound(claim)) continue;
      for (const line of findLines([claim.text, ...claim.keys], messageIds.flatMap(readTexts))) {
        if (read.has(line)) continue;
        read.add(line);
        yield* addTextsInSteps(index, [line]);
        if (isFound(claim)) break;
      }
      if (!isFound(claim)) return false;
      yield undefined;
    }
  }
  return next === claims.length;
}

/** Returns a reader for the texts of a message, which adds the speaker and time of the message to the index. */
function createTextReader(index: SourceIndex, messages: readonly Message[]): (id: MessageId) => readonly string[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const known = new Map<MessageId, readonly string[]>();
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const message = byId.get(id);
    if (message !== undefined) addSpeech(index, message);
    const texts = message === undefined ? [] : Object.values(messageTexts(message)).flat();
    known.set(id, texts);
    return texts;
  };
}

/** Yields lines that contain a spelling as whole words. Skips lines that are longer than a piece. */
function* findLines(spellings: readonly string[], texts: readonly string[]): Generator<string, void> {
  for (const spelling of new Set(spellings)) {
    if (spelling !== "") for (const text of texts) yield* findLinesIn(text, spelling);
  }
}

function* findLinesIn(text: string, words: string): Generator<string, void> {
  let found = 0;
  for (let place = text.indexOf(words); place >= 0 && found < MAX_PLACES; ) {
    const end = place + words.length;
    if (!(isInside(text, place) || isInside(text, end))) {
      found += 1;
      const lineStart = text.lastIndexOf("\n", place) + 1;
      const next = text.indexOf("\n", end);
      const lineEnd = next < 0 ? text.length : next;
      if (lineEnd - lineStart <= PIECE_CHARACTERS) yield text.slice(lineStart, lineEnd);
    }
    place = text.indexOf(words, end);
  }
}

const MAX_PLACES = 16;

/** Returns true between two letters or two digits, where no whole word ends. */
function isInside(text: string, place: number): boolean {
  const [before, after] = [text.charAt(place - 1), text.charAt(place)];
  return (LETTER.test(before) && LETTER.test(after)) || (DIGIT.test(before) && DIGIT.test(after));
}

const LETTER = /[A-Za-z_]/;
const DIGIT = /\d/;

/**
 * Keeps the contradictions that do not quote their source. A sentence is a quote if its words are in the source in the
 * same order, and no omitted word between or before them is a negation.
 */
export function* withoutQuotes(
  flipped: readonly Claim[],
  summary: string,
  messages: readonly Message[],
): Generator<undefined, readonly Claim[]> {
  let left = flipped.map((claim) => ({ claim, quotes: quotesAround(summary, claim) }));
  for (const message of flipped.length === 0 ? [] : messages) {
    if (left.length === 0) break;
    for (const text of messageTexts(message).spoken) {
      for (const piece of textPieces(text)) {
        const said = readSourceWords(piece);
        left = left.filter(({ quotes }) => !quotes.some((words) => isQuoted(words, said)));
        yield undefined;
      }
    }
  }
  return left.map(({ claim }) => claim);
}

/** Returns the words of the clause, of its sentence, and of what follows each label in it, as in "Ada: …". */
function quotesAround(summary: string, { start, end, text }: Claim): readonly (readonly string[])[] {
  const before = summary.slice(Math.max(0, start - MAX_SENTENCE_CHARACTERS), start);
  const after = summary.slice(end, end + MAX_SENTENCE_CHARACTERS);
  const from = before.search(/[^\n;.!?()]*$/);
  const to = after.search(/[\n;()]|[.!?](?=\s|$)/);
  const sentence = `${before.slice(from)}${text}${to < 0 ? after : after.slice(0, to)}`;
  const labels = [...sentence.matchAll(/[:：] /g)].slice(0, MAX_LABELS).map(({ index }) => sentence.slice(index + 1));
  return [text, sentence, ...labels.filter((rest) => rest.includes(text.trim()))].map(quotedWordsOf);
}

const MAX_SENTENCE_CHARACTERS = 400;
const MAX_LABELS = 3;

interface SourceWords {
  readonly words: readonly string[];
  readonly placesOf: ReadonlyMap<string, readonly number[]>;
  readonly starts: ReadonlySet<number>;
}

function readSourceWords(text: string): SourceWords {
  const words: string[] = [];
  const placesOf = new Map<string, number[]>();
  const starts = new Set<number>();
  for (const sentence of text.split(SENTENCE_END)) {
    starts.add(words.length);
    for (const word of quotedWordsOf(sentence)) {
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

function quotedWordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(WORD) ?? []).map((word) => word.replaceAll("’", "'"));
}

function isQuoted(quote: readonly string[], said: SourceWords): boolean {
  const places = said.placesOf.get(quote[0] ?? "") ?? [];
  return places
    .slice(-MAX_QUOTED_PLACES)
    .some((place) => !isDeniedBefore(said, place) && isQuoteAt(quote, said.words, place));
}

const MAX_QUOTED_PLACES = 40;
/** A "not" this many words before still negates. */
const DENIAL_WORDS = 8;

function isDeniedBefore({ words, starts }: SourceWords, place: number): boolean {
  for (let before = place; before > place - DENIAL_WORDS && before > 0 && !starts.has(before); before -= 1) {
    if (isDenial(words[before - 1] ?? "")) return true;
  }
  return false;
}

/** Maximum number of omitted words for each quoted word. */
const MAX_LEFT_OUT_SHARE = 1;
const MIN_LEFT_OUT = 6;

function isQuoteAt(quote: readonly string[], words: readonly string[], place: number): boolean {
  const last = place + quote.length * (1 + MAX_LEFT_OUT_SHARE) + MIN_LEFT_OUT;
  let found = 0;
  for (let next = place; next < words.length && next < last && found < quote.length; next += 1) {
    const word = words[next] ?? "";
    if (word === quote[found]) found += 1;
    else if (isDenial(word)) return false;
  }
  return quote.length > 0 && found === quote.length;
}
