/**
 * Cuts long text for a tokenizer: into windows of at most 2,048 characters that end before a blank, because words
 * include the space before them. In a run without blanks (base64, one letter, Chinese) windows are 512 characters,
 * because a tokenizer's time grows with the square of such a run. It never splits a surrogate pair.
 */
import { splitsPair } from "../message/whole-text.ts";

export const WINDOW_CHARACTERS = 2_048;
export const RUN_CHARACTERS = 512;

export interface TextWindow {
  readonly text: string;
  /** Expected time of a tokenizer, as the number of characters of prose that take as long. */
  readonly work: number;
}

/** Returns the window that begins at `start`, which must be inside the text. */
export function takeWindow(text: string, start: number): TextWindow {
  const limit = Math.min(start + WINDOW_CHARACTERS, text.length);
  let cut = start;
  let runStart = start;
  let inBlanks = isBlank(text.charCodeAt(start));
  let end = start + 1;
  for (; end < limit && end - runStart < RUN_CHARACTERS; end += 1) {
    const blank = isBlank(text.charCodeAt(end));
    if (blank === inBlanks) continue;
    if (blank) cut = end;
    inBlanks = blank;
    runStart = end;
  }
  if (end === text.length) return ordinaryWindow(text.slice(start));
  if (cut > start) return ordinaryWindow(text.slice(start, cut));
  return runWindow(text.slice(start, splitsPair(text, end) ? end - 1 : end));
}

/** Measured with o200k: random base64 is 6 times as slow as prose, random Thai and Chinese up to 24 times. */
const RUN_WORK = 6;
const FOREIGN_WORK = 24;

function ordinaryWindow(text: string): TextWindow {
  return { text, work: text.length + foreignCharacters(text) * (FOREIGN_WORK - 1) };
}

function runWindow(text: string): TextWindow {
  return { text, work: text.length * RUN_WORK + foreignCharacters(text) * (FOREIGN_WORK - RUN_WORK) };
}

function foreignCharacters(text: string): number {
  let foreign = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 127) foreign += 1;
  return foreign;
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 || code === 0x3000;
}
