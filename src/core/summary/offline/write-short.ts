/**
 * A summary where there is hardly any room: the lines that fit, without headings, and where not even the first one
 * does, its first words.
 */
import { findWordEnd } from "./fold-line.ts";
import { BULLET } from "./layout.ts";

export interface ShortOptions {
  readonly capTokens: number;
  readonly count: (text: string) => number;
}

export function writeShort(lines: readonly string[], { capTokens, count }: ShortOptions): string {
  const kept: string[] = [];
  const fits = (text: string): boolean => count(text) <= capTokens;
  for (const line of lines) {
    if (fits([...kept, `${BULLET}${line}`].join("\n"))) kept.push(`${BULLET}${line}`);
  }
  if (kept.length > 0) return kept.join("\n");
  for (const line of lines) {
    const words = firstWords(line, fits);
    if (words !== "") return words;
  }
  return "";
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
