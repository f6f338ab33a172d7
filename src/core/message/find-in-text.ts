/**
 * Finds plain text in plain text, whatever the case and the way in which accents are written, and cuts a snippet around
 * it. The query is never a pattern. Every store compares texts and queries in the form of `normaliseText`, so that all
 * of them find the same; what is shown is the text as it was said.
 */

import { findOriginal, normaliseQuery, normaliseText } from "./normalise-text.ts";
import { wholeHead, wholeTail } from "./whole-text.ts";

const CONTEXT_CHARACTERS = 60;

export interface TextMatch {
  readonly snippet: string;
  readonly matchStart: number;
  readonly matchLength: number;
}

export function findInText(text: string, query: string): TextMatch | undefined {
  const wanted = normaliseQuery(query);
  if (wanted === "") return undefined;
  const at = normaliseText(text).indexOf(wanted);
  if (at < 0) return undefined;
  const match = findOriginal(text, { start: at, end: at + wanted.length });
  const before = wholeTail(text.slice(0, match.start), CONTEXT_CHARACTERS);
  const after = wholeHead(text.slice(match.end), CONTEXT_CHARACTERS);
  const snippet = before + text.slice(match.start, match.end) + after;
  return { snippet, matchStart: before.length, matchLength: match.end - match.start };
}
