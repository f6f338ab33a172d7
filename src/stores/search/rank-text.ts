/**
 * Scores how well a text answers a query: how often it contains each word, relative to its length. Each SQL dialect
 * computes the same score in its statements, so that all stores return one order. Word rarity does not count, because
 * every ranked text contains all words.
 */
import { normalizeQuery, normalizeText } from "../../core/message/search-text.ts";

/** How many of the newest matching texts are compared. */
export const RANKED_TEXTS = 2_000;

/** Length of an average text. */
export const AVERAGE_CHARACTERS = 400;
/** Share of the length weight that is constant, and share that grows with the length. */
export const LENGTH_WEIGHT = { fixed: 0.25, growing: 0.75 };

/** How many words of a query count; databases limit the length of a statement. */
const MAX_WORDS = 16;

/**
 * Splits a query into the words that a text must contain. In the order `newest` the whole query is one word. Empty if
 * the query cannot match.
 */
export function splitQuery({
  text,
  order,
}: {
  readonly text: string;
  readonly order?: string | undefined;
}): readonly string[] {
  const whole = normalizeQuery(text);
  if (whole === "") return [];
  return order === "relevance" ? [...new Set(whole.split(/\s+/u))].slice(0, MAX_WORDS) : [whole];
}

/** Returns undefined for a text that lacks a word. */
export function rankText(text: string, words: readonly string[]): number | undefined {
  const searched = normalizeText(text);
  const weight = LENGTH_WEIGHT.fixed + (LENGTH_WEIGHT.growing * countCharacters(searched)) / AVERAGE_CHARACTERS;
  let score = 0;
  for (const word of words) {
    const times = searched.split(word).length - 1;
    if (times === 0) return undefined;
    score += 1 - weight / (times + weight);
  }
  return score;
}

/** Counts a surrogate pair as one character, as databases do. */
function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
