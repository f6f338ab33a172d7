/**
 * A summary where there is hardly any room: the lines that fit, without headings, and where not even the first one
 * does, its first words.
 */

import { BULLET, joinLines } from "../record/layout.ts";
import type { SummaryLine } from "../record/record.ts";
import { findWordEnd } from "../text/fold-line.ts";

export interface ShortOptions {
  readonly capTokens: number;
  readonly count: (text: string) => number;
}

export function writeShort(lines: readonly SummaryLine[], { capTokens, count }: ShortOptions): readonly SummaryLine[] {
  const kept: SummaryLine[] = [];
  const fits = (text: string): boolean => count(text) <= capTokens;
  for (const { text, messageIds } of lines) {
    const line = { text: `${BULLET}${text}`, messageIds };
    if (fits(joinLines([...kept, line]))) kept.push(line);
  }
  if (kept.length > 0) return kept;
  for (const { text, messageIds } of lines) {
    const words = firstWords(text, fits);
    if (words !== "") return [{ text: words, messageIds }];
  }
  return [];
}

/** The longest beginning that fits, after the mark of the list where there is room for it. */
function firstWords(line: string, fits: (text: string) => boolean): string {
  for (const start of [BULLET, ""]) {
    let end = Math.min(line.length, LONGEST_TRY);
    while (end > 0) {
      end = findWordEnd(line, end);
      const words = `${start}${line.slice(0, end).trimEnd()}`;
      if (end > 0 && fits(words)) return words;
      end -= 1;
    }
  }
  return "";
}

const LONGEST_TRY = 400;
