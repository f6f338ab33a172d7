/**
 * A long sentence as several lines, cut at clauses where there are any and else between words: choosing one of them is
 * not choosing all.
 */
import { findWordEnd } from "./fold-line.ts";

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
