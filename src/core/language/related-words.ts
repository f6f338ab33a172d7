/**
 * Words that a question uses in place of those in the answer: "fetch" for "pick up", "cost" for "price", and
 * kinds for what is of that kind: "colour" for "green". Written by hand, everyday matters and work first. A word that
 * is in no list is found by its own letters only.
 */

import { NON_ENGLISH_KINDS, NON_ENGLISH_SWAPS } from "./non-english-related-words.ts";
import { KINDS, SWAPS } from "./related-word-lists.ts";
import { piecesOf, termsOfPiece } from "./word-terms.ts";

/** Another word for the same counts for less than the word itself, and one of the kind asked for for less again. */
export const SWAP_WEIGHT = 0.6;
export const KIND_WEIGHT = 0.5;

interface Related {
  readonly swaps: ReadonlyMap<string, ReadonlySet<string>>;
  readonly kinds: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What else may stand for a term, with what it counts. The term itself is not among them. */
export function relatedTerms(term: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const member of related().kinds.get(term) ?? []) found.set(member, KIND_WEIGHT);
  for (const swap of related().swaps.get(term) ?? []) found.set(swap, SWAP_WEIGHT);
  found.delete(term);
  return found;
}

let known: Related | undefined;

/** Built when the first question is asked: most processes never ask one. */
function related(): Related {
  known ??= { swaps: readSwaps(), kinds: readKinds() };
  return known;
}

function readSwaps(): ReadonlyMap<string, ReadonlySet<string>> {
  const swaps = new Map<string, Set<string>>();
  for (const line of [...SWAPS, ...NON_ENGLISH_SWAPS]) {
    const terms = termsOfList(line);
    for (const term of terms) addAll(swaps, term, terms);
  }
  return swaps;
}

function readKinds(): ReadonlyMap<string, ReadonlySet<string>> {
  const kinds = new Map<string, Set<string>>();
  for (const line of [...KINDS, ...NON_ENGLISH_KINDS]) {
    const [names = "", members = ""] = line.split(": ");
    const terms = termsOfList(members);
    for (const name of termsOfList(names)) addAll(kinds, name, terms);
  }
  return kinds;
}

/** Words of scripts without spaces are single characters or pairs. */
function termsOfList(line: string): readonly string[] {
  return line.split(" ").flatMap((word) => {
    const terms = piecesOf(word).flatMap(termsOfPiece);
    return terms.slice(-1);
  });
}

function addAll(lists: Map<string, Set<string>>, key: string, terms: readonly string[]): void {
  const list = lists.get(key) ?? new Set<string>();
  for (const term of terms) list.add(term);
  lists.set(key, list);
}
