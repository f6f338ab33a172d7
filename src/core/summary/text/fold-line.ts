/** Folds a text into one line. Cuts between words, because half a path is another path. */
import type { Sentence } from "./split-sentences.ts";

/** Replaces text that is omitted. Has no letter or digit, so that it is not a claim. */
export const LEFT_OUT = "[…]";
export const ELLIPSIS = "…";

const WHITE_SPACE = /[\s\p{Cc}]+/gu;
const ENCODED = /[!-~]{300,}/g;
/** Matches a line that needs folding. */
const NOT_PLAIN = / {2}|[^ -~]/;
const SHORT_CHARACTERS = 300;
const MAX_LABEL_CHARACTERS = 40;

export function foldLine(text: string): string {
  if (text.length < SHORT_CHARACTERS && !NOT_PLAIN.test(text)) return text.trim();
  return text
    .toWellFormed()
    .replace(WHITE_SPACE, " ")
    .replace(ENCODED, () => LEFT_OUT)
    .trim();
}

/** Adds quotation marks if the speaker quotes a summary. */
export function foldSentence({ text, isFromSummary }: Sentence): string {
  return foldLine(isFromSummary === true ? `"${text}"` : text);
}

/** Shortens an external name, and removes characters that end a label. */
export function foldLabel(name: string): string {
  const label = foldLine(name.slice(0, 4 * MAX_LABEL_CHARACTERS)).replace(/[:;()[\]<>"→]+/g, () => " ");
  return shortenWords(foldLine(label), MAX_LABEL_CHARACTERS);
}

/** Cuts after a word, and adds an ellipsis if something was cut. */
export function shortenWords(line: string, longest: number): string {
  if (line.length <= longest) return line;
  const end = findWordEnd(line, longest);
  return end === 0 ? LEFT_OUT : `${line.slice(0, end).trimEnd()} ${ELLIPSIS}`;
}

/** Returns the last offset up to `longest` at which a line can be cut, between words; 0 if there is none. */
export function findWordEnd(line: string, longest: number): number {
  if (line.length <= longest) return line.length;
  for (let end = longest; end > 0; end -= 1) {
    if (line.charAt(end) === " " || isBetweenSpaceless(line, end)) return end;
  }
  return 0;
}

/** First character code of scripts without spaces, symbols and surrogates. */
const FIRST_SPACELESS = 0x2e80;

function isBetweenSpaceless(line: string, place: number): boolean {
  const before = line.charCodeAt(place - 1);
  const after = line.charCodeAt(place);
  const isSplit = before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
  return before >= FIRST_SPACELESS && after >= FIRST_SPACELESS && !isSplit;
}

/** Splits a long sentence between clauses or words, so that each line can be chosen alone. */
export function cutLongLine(line: string, longest: number): readonly string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > longest) {
    const clause = Math.max(rest.lastIndexOf(", ", longest), rest.lastIndexOf("; ", longest)) + 1;
    const end = clause > longest / 2 ? clause : findWordEnd(rest, longest);
    // Text without a place to cut is not a sentence, so the rest is dropped.
    if (end === 0) return pieces;
    pieces.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest === "" ? pieces : [...pieces, rest];
}

/** Writes a part of a JSON text as people read it: `{"seats": {"economy": 4}}` becomes "seats: economy: 4". */
export function withoutJsonMarks(line: string): string {
  if (!/\\?"\s?:\s?\S|^\s*\\?"|["\]}]{2,}\s*$|\\n.*\\n/.test(line)) return line;
  const opened = line.replace(/(?<!\\)\\[nrt]/g, " ").replace(/(?<![\w$/.])[{[]+(?=\s*(?:\\*"|[\d-]|$))/g, "");
  const closed = /[{[]/.test(opened) ? opened : opened.replace(/[\]}]+(?=[\s,]|$)/g, "");
  return closed
    .replace(/\\*"(\s?[:,]) ?(?=\S)/g, "$1 ")
    .replace(/\\*"/g, "")
    .replace(/ {2,}/g, " ")
    .replace(/(?:, ?){2,}/g, ", ")
    .replace(/^[\s,:]+|[\s,:]+$/g, "");
}
