/**
 * Folds a text into one line of a list: white space and control characters become single spaces, half characters are
 * replaced, and a run that is not a word (encoded bytes) is replaced by a mark. Lines are cut between words, because
 * half a path is another path.
 *
 * Does not judge the text and adds no word to it.
 */
import type { Sentence } from "./split-sentences.ts";

/** Stands where something was left out. It has no letter and no digit, so it names nothing. */
export const LEFT_OUT = "[…]";
export const ELLIPSIS = "…";

const WHITE = /[\s\p{Cc}]+/gu;
const ENCODED = /[!-~]{300,}/g;
/** A short line of plain characters with single spaces is folded already. */
const NOT_PLAIN = / {2}|[^ -~]/;
const SHORT_CHARACTERS = 300;
const LONGEST_LABEL = 40;

export function foldLine(text: string): string {
  if (text.length < SHORT_CHARACTERS && !NOT_PLAIN.test(text)) return text.trim();
  return text
    .toWellFormed()
    .replace(WHITE, " ")
    .replace(ENCODED, () => LEFT_OUT)
    .trim();
}

/** A sentence as one line, in quotation marks where the speaker quotes a summary. */
export function foldSentence({ text, isFromSummary }: Sentence): string {
  return foldLine(isFromSummary === true ? `"${text}"` : text);
}

/** A name from outside (a tool's, a person's), short, and without what ends a label. */
export function foldLabel(name: string): string {
  const label = foldLine(name.slice(0, 4 * LONGEST_LABEL)).replace(/[:;()[\]<>"→]+/g, () => " ");
  return shortenWords(foldLine(label), LONGEST_LABEL);
}

/** The beginning of a folded line, ending after a word, with an ellipsis where something is missing. */
export function shortenWords(line: string, longest: number): string {
  if (line.length <= longest) return line;
  const end = findWordEnd(line, longest);
  return end === 0 ? LEFT_OUT : `${line.slice(0, end).trimEnd()} ${ELLIPSIS}`;
}

/**
 * The last place up to `longest` at which a folded line can be cut: before a space, or between two characters of a
 * script that writes without spaces. 0 where there is none.
 */
export function findWordEnd(line: string, longest: number): number {
  if (line.length <= longest) return line.length;
  for (let end = longest; end > 0; end -= 1) {
    if (line.charAt(end) === " " || isBetweenSpaceless(line, end)) return end;
  }
  return 0;
}

/** Characters from here on belong to scripts without spaces between words, to symbols, or are halves of one. */
const FIRST_SPACELESS = 0x2e80;

function isBetweenSpaceless(line: string, place: number): boolean {
  const before = line.charCodeAt(place - 1);
  const after = line.charCodeAt(place);
  const isSplit = before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
  return before >= FIRST_SPACELESS && after >= FIRST_SPACELESS && !isSplit;
}

/**
 * Splits a long sentence into several lines, at clauses if there are any and else between words, so that one of them
 * can be chosen without the others.
 */
export function cutLong(line: string, longest: number): readonly string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > longest) {
    const clause = Math.max(rest.lastIndexOf(", ", longest), rest.lastIndexOf("; ", longest)) + 1;
    const end = clause > longest / 2 ? clause : findWordEnd(rest, longest);
    // A run without a place to cut ends the line: it is no sentence.
    if (end === 0) return pieces;
    pieces.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest === "" ? pieces : [...pieces, rest];
}
