/**
 * Looks up names in lines of text: anywhere, and in a line with at least three other words and at most ten names, which
 * explains them. A word is a run of three letters or more that is not part of a name.
 */
import { findNames, withoutNames } from "./find-names.ts";

export interface NameMatch {
  readonly anywhere: boolean;
  /** The same, but a path also counts if its file name is found. */
  readonly byFile: boolean;
  readonly explained: boolean;
}

const MIN_WORDS = 3;
const MAX_NAMES = 10;

export function judgeLines(lines: readonly string[], names: Iterable<string>): ReadonlyMap<string, NameMatch> {
  const cache = new Map<string, boolean>();
  const explains = (line: string): boolean => {
    const known = cache.get(line) ?? isExplaining(line);
    cache.set(line, known);
    return known;
  };
  const text = lines.join("\n");
  const found = new Map<string, NameMatch>();
  for (const name of names) {
    const having = text.includes(name) ? lines.filter((line) => hasName(line, name)) : [];
    const anywhere = having.length > 0;
    const byFile = anywhere || (name.includes("/") && hasName(text, name.slice(name.lastIndexOf("/") + 1)));
    found.set(name, { anywhere, byFile, explained: having.some(explains) });
  }
  return found;
}

/** Matches at word boundaries, so that 120 is not found in 1200. */
export function hasName(line: string, name: string): boolean {
  for (let place = line.indexOf(name); place >= 0; place = line.indexOf(name, place + 1)) {
    if (!WORD.test(line.charAt(place - 1)) && !WORD.test(line.charAt(place + name.length))) return true;
  }
  return false;
}

const WORD = /\w/;

function countWords(line: string): number {
  const words = withoutNames(line).match(/(?<![\p{L}\p{N}_])\p{L}{3,}(?![\p{L}\p{N}_])/gu) ?? [];
  return new Set(words.map((word) => word.toLowerCase())).size;
}

export function isExplaining(line: string): boolean {
  return countWords(line) >= MIN_WORDS && findNames(line).size <= MAX_NAMES;
}
