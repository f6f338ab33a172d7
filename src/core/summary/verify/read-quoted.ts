/**
 * Reads of a source only what a summary quotes: of the messages that a line was made from, the lines that hold the words
 * of its claims. That is little of the source, and whatever a claim finds there it would find in the whole.
 */

import { PIECE_CHARACTERS } from "../../language/text-pieces.ts";
import type { Message, MessageId } from "../../message/message.ts";
import { addSpeech, addTextsInSteps, findSupport, type SourceIndex } from "../claims/source-index.ts";
import type { Claim, SummaryLine } from "../record/record.ts";
import { messageTexts } from "../text/message-texts.ts";

export interface Quoting {
  /** In the order of the text. */
  readonly claims: readonly Claim[];
  /** All lines of the text, with the messages that each was made from. */
  readonly lines: readonly SummaryLine[];
}

/** Adds what is quoted to the index. False as soon as a claim is not found that way: then the whole source is to be read. */
export function* addQuotedInSteps(
  index: SourceIndex,
  messages: readonly Message[],
  { claims, lines }: Quoting,
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

/** The texts of a message by its id. Who said it, and when, is added to the index. */
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

/** Lines that hold a spelling, not as a piece of longer words. Those that are read in pieces are left to the full read. */
function* findLines(spellings: readonly string[], texts: readonly string[]): Generator<string, void> {
  for (const spelling of new Set(spellings)) {
    if (spelling !== "") for (const text of texts) yield* findLinesIn(text, spelling);
  }
}

function* findLinesIn(text: string, words: string): Generator<string, void> {
  let found = 0;
  for (let place = text.indexOf(words); place >= 0 && found < MOST_PLACES; ) {
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

const MOST_PLACES = 16;

/** Whether a place lies between two letters, or between two digits: what begins or ends there is only a piece. */
function isInside(text: string, place: number): boolean {
  const [before, after] = [text.charAt(place - 1), text.charAt(place)];
  return (LETTER.test(before) && LETTER.test(after)) || (DIGIT.test(before) && DIGIT.test(after));
}

const LETTER = /[A-Za-z_]/;
const DIGIT = /\d/;
