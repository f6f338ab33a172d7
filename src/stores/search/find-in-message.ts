/** Looks for a query in one message, for stores that look through messages one by one. */
import type { MessageEntry } from "../../core/log/entry.ts";
import { findInText } from "../../core/message/find-in-text.ts";
import { messageText } from "../../core/message/message-text.ts";
import type { SearchHit, SearchQuery } from "../../ports/store.ts";
import { RANKED_TEXTS, rankText, wordsOf } from "./rank-text.ts";

export interface RankedHit {
  readonly hit: Omit<SearchHit, "sessionId">;
  /** Greater is better. All are equal where nobody asked for an order by it. */
  readonly score: number;
}

/** A query with its words, taken apart once. */
export interface Wanted {
  readonly query: SearchQuery;
  readonly words: readonly string[];
  /** So many of the newest hits are enough to know which ones to give. */
  readonly most: number;
}

/** Undefined for a query that finds nothing. */
export function wantedBy(query: SearchQuery): Wanted | undefined {
  const words = wordsOf(query);
  if (words.length === 0 || query.limit <= 0) return undefined;
  return { query, words, most: query.order === "relevance" ? Math.max(RANKED_TEXTS, query.limit) : query.limit };
}

export function findInMessage(entry: MessageEntry, { query, words }: Wanted): RankedHit | undefined {
  const { role, id } = entry.message;
  if (query.role !== undefined && query.role !== role) return undefined;
  const text = messageText(entry.message);
  const score = query.order === "relevance" ? rankText(text, words) : 0;
  if (score === undefined) return undefined;
  const match = findInText(text, query.text) ?? (score > 0 ? findInText(text, words[0] ?? "") : undefined);
  return match && { hit: { ...match, seq: entry.seq, messageId: id, role }, score };
}

/** Of hits that are given newest first: the best first where scores say so, equal ones as they came. */
export function bestOf<Hit extends { readonly score: number }>(
  hits: readonly Hit[],
  { query }: Wanted,
): readonly Hit[] {
  return hits.toSorted((left, right) => right.score - left.score).slice(0, query.limit);
}
