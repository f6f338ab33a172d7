/** Finds and scores a query in a message. SQL dialects compute the same score, so all stores return the same order. */
import type { MessageEntry } from "../../core/log/entry.ts";
import { messageText } from "../../core/message/message-text.ts";
import {
  findInText,
  normalizeQuery,
  readSearchedTextInSteps,
  type SearchedText,
} from "../../core/message/search-text.ts";
import type { SearchHit, SearchQuery } from "../../ports/store.ts";

export interface RankedHit {
  readonly hit: Omit<SearchHit, "sessionId">;
  /** Higher is better; 0 in the order `newest`. */
  readonly score: number;
}

/** A query with its words, parsed once. */
export interface ParsedQuery {
  readonly query: SearchQuery;
  readonly words: readonly string[];
  /** How many of the newest hits have to be found before the result is known. */
  readonly maxHits: number;
}

/** Returns undefined for a query that cannot match. */
export function parseQuery(query: SearchQuery): ParsedQuery | undefined {
  const words = splitQuery(query);
  if (words.length === 0 || query.limit <= 0) return undefined;
  return { query, words, maxHits: query.order === "relevance" ? Math.max(RANKED_TEXTS, query.limit) : query.limit };
}

export function* findInMessage(
  entry: MessageEntry,
  { query, words }: ParsedQuery,
): Generator<undefined, RankedHit | undefined> {
  const { role, id } = entry.message;
  if (query.role !== undefined && query.role !== role) return undefined;
  const text = yield* readSearchedTextInSteps(messageText(entry.message));
  const score = query.order === "relevance" ? rankText(text, words) : 0;
  if (score === undefined) return undefined;
  const match = findInText(text, query.text) ?? (score > 0 ? findInText(text, words[0] ?? "") : undefined);
  return match && { hit: { ...match, seq: entry.seq, messageId: id, role }, score };
}

/** Sorts hits by score; equal ones stay in the given order, newest first. */
export function takeBest<Hit extends { readonly score: number }>(
  hits: readonly Hit[],
  { query }: ParsedQuery,
): readonly Hit[] {
  return hits.toSorted((left, right) => right.score - left.score).slice(0, query.limit);
}

/** How many of the newest matching texts are compared. */
export const RANKED_TEXTS = 2_000;

export const AVERAGE_CHARACTERS = 400;
/** The part of the length weight that is constant, and the part that grows with the length. */
export const LENGTH_WEIGHT = { fixed: 0.25, growing: 0.75 };

/** Only this many words of a query are used, because databases limit the length of a statement. */
const MAX_WORDS = 16;

/** Returns the words that a text must contain: the whole query in the order `newest`, none if it cannot match. */
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

/** Scores word frequency relative to length; undefined if a word is missing. */
export function rankText({ normal }: SearchedText, words: readonly string[]): number | undefined {
  const weight = LENGTH_WEIGHT.fixed + (LENGTH_WEIGHT.growing * countCodePoints(normal)) / AVERAGE_CHARACTERS;
  let score = 0;
  for (const word of words) {
    const times = normal.split(word).length - 1;
    if (times === 0) return undefined;
    score += 1 - weight / (times + weight);
  }
  return score;
}

/** Counts a surrogate pair as one character, as databases do. */
function countCodePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
