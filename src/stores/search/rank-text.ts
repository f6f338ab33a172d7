/**
 * How well a text answers a query: how often it says each word, against how long it is. Databases reckon the same in
 * their own words (see the statements of each), step by step, so that all stores give one order. Rarer words weigh no
 * more than others: every text that is ranked holds all of them.
 */
import { normaliseQuery, normaliseText } from "../../core/message/normalise-text.ts";

/** Of more texts that hold the words, so many of the newest are compared. */
export const RANKED_TEXTS = 2_000;

/** Texts of so many characters are neither short nor long. */
export const USUAL_CHARACTERS = 400;
/** How much of what the length is worth every text is given, and how much goes with it. */
export const LENGTH_WEIGHT = { fixed: 0.25, growing: 0.75 };

/** Of a longer query so many words count: databases bound the length of a statement. */
const MOST_WORDS = 16;

/** What a text must hold: each of these. A query is one word in the order `newest`. Empty where nothing is found. */
export function wordsOf({
  text,
  order,
}: {
  readonly text: string;
  readonly order?: string | undefined;
}): readonly string[] {
  const whole = normaliseQuery(text);
  if (whole === "") return [];
  return order === "relevance" ? [...new Set(whole.split(/\s+/u))].slice(0, MOST_WORDS) : [whole];
}

/** `undefined` for texts that lack a word. */
export function rankText(text: string, words: readonly string[]): number | undefined {
  const searched = normaliseText(text);
  const weight = LENGTH_WEIGHT.fixed + (LENGTH_WEIGHT.growing * countCharacters(searched)) / USUAL_CHARACTERS;
  let score = 0;
  for (const word of words) {
    const times = searched.split(word).length - 1;
    if (times === 0) return undefined;
    score += 1 - weight / (times + weight);
  }
  return score;
}

/** As databases count them: a pair of surrogates is one. */
function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
