/** Finds a query in one message, for stores that scan messages. */
import type { MessageEntry } from "../../core/log/entry.ts";
import { messageText } from "../../core/message/message-text.ts";
import { findInText } from "../../core/message/search-text.ts";
import type { SearchHit, SearchQuery } from "../../ports/store.ts";
import { RANKED_TEXTS, rankText, splitQuery } from "./rank-text.ts";

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

export function findInMessage(entry: MessageEntry, { query, words }: ParsedQuery): RankedHit | undefined {
  const { role, id } = entry.message;
  if (query.role !== undefined && query.role !== role) return undefined;
  const text = messageText(entry.message);
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
