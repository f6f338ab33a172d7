/** What was said, a page at a time, message by message, and as messages that hold a text. */
import { client } from "./client.ts";
import { readList, readNumber, readText } from "./fields.ts";
import { bySeq, type LogEntry, readEntry } from "./read-entries.ts";
import { readHit } from "./read-hit.ts";
import { readFate } from "./read-strip.ts";
import type { Explanation, Hit } from "./values.ts";

/** Deletions are not shown: they say that what was read before is not there any more. */
const SHOWN_TYPES = "message,summary,truncate,clear,delete";
/** Requests and notes are of no concern to a reader. */
const SHOWING_TYPES = `${SHOWN_TYPES},prune,pin,unpin,undo`;

export interface Page {
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  readonly isFull: boolean;
}

export interface PageRange {
  readonly afterSeq?: number | undefined;
  readonly throughSeq?: number | undefined;
  readonly limit: number;
  readonly newestFirst?: boolean | undefined;
}

export async function readPage(id: string, range: PageRange, signal?: AbortSignal): Promise<Page> {
  const query = { ...range, types: SHOWN_TYPES, ids: false };
  const entries = readList((await client.readEntries({ params: { id }, query, signal })).entries);
  return { entries: entries.map(readEntry).toSorted(bySeq), isFull: entries.length >= range.limit };
}

/** The newest entry that changes what is shown. */
export async function readNewest(id: string): Promise<LogEntry | undefined> {
  const query = { limit: 1, newestFirst: true, types: SHOWING_TYPES, ids: false };
  const [newest] = readList((await client.readEntries({ params: { id }, query })).entries);
  return newest === undefined ? undefined : readEntry(newest);
}

export interface Explained {
  readonly id: string;
  readonly messageId: string;
  /** Who is asked next, as it was chosen. */
  readonly model: string | undefined;
}

export async function explainMessage({ id, messageId, model }: Explained, signal?: AbortSignal): Promise<Explanation> {
  const answer = await client.explainMessage({ params: { id, messageId }, query: { model }, signal });
  return {
    messageId,
    seq: readNumber(answer.seq),
    fate: readFate(answer.fate),
    reason: readText(answer.reason),
    isShown: answer.isShown === true,
    isAhead: answer.isAhead === true,
  };
}

export async function searchMessages(query: string, signal?: AbortSignal): Promise<readonly Hit[]> {
  return (await client.search({ query: { query, limit: 30 }, signal })).hits.map(readHit);
}

export async function searchSession(id: string, query: string, signal?: AbortSignal): Promise<readonly Hit[]> {
  const { hits } = await client.searchSession({
    params: { id },
    query: { query, limit: 8, order: "relevance" },
    signal,
  });
  return hits.map(readHit);
}
