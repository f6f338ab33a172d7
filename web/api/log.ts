/** The log of a session: pages of entries, explanations of messages, search, and the export. */
import { readFields, readText } from "../../src/client/fields.ts";
import { client } from "./client.ts";
import { toLogItems } from "./read-entries.ts";
import { type Hit, toHit } from "./search-hit.ts";
import type { Entry, Explanation, LogItem } from "./values.ts";

/** Delete entries have no row; they make the page reload its entries. */
const SHOWN_TYPES = "message,summary,truncate,clear,delete";
/** Every type that changes what the page shows. */
const CHANGING_TYPES = `${SHOWN_TYPES},prune,pin,unpin,recall,dismiss,undo`;
const EXPORTED_TYPES: readonly unknown[] = ["message", "summary", "truncate", "clear"];

export interface Page {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  readonly isFull: boolean;
}

export interface PageRange {
  readonly afterSeq?: number | undefined;
  readonly throughSeq?: number | undefined;
  readonly limit: number;
  readonly newestFirst?: boolean | undefined;
}

export async function readLogPage(id: string, range: PageRange, signal?: AbortSignal): Promise<Page> {
  const entries: Entry[] = [];
  let rest: Partial<PageRange> = {};
  // The server ends a page of long messages early.
  for (let hasMore = true; hasMore && entries.length < range.limit; ) {
    const query = { ...range, ...rest, limit: range.limit - entries.length, types: SHOWN_TYPES, ids: false };
    const { entries: read, nextSeq } = await client.readEntries({ params: { id }, query, signal });
    entries.push(...read);
    hasMore = nextSeq !== undefined;
    if (nextSeq !== undefined) rest = range.newestFirst === true ? { throughSeq: nextSeq - 1 } : { afterSeq: nextSeq };
  }
  return { entries: entries.toSorted((left, right) => left.seq - right.seq), isFull: entries.length >= range.limit };
}

/** Reads the newest entry that changes what the page shows. */
export async function readNewestEntry(id: string): Promise<Entry | undefined> {
  const query = { limit: 1, newestFirst: true, types: CHANGING_TYPES, ids: false };
  return (await client.readEntries({ params: { id }, query })).entries[0];
}

export interface ExplanationRequest {
  readonly id: string;
  readonly messageId: string;
  /** Model of the next prompt; undefined for the server's default. */
  readonly model: string | undefined;
}

export async function explainMessage(request: ExplanationRequest, signal?: AbortSignal): Promise<Explanation> {
  const { id, messageId, model } = request;
  return client.explainMessage({ params: { id, messageId }, query: { model }, signal });
}

export async function searchMessages(query: string, signal?: AbortSignal): Promise<readonly Hit[]> {
  return (await client.search({ query: { query, limit: 30 }, signal })).hits.map(toHit);
}

export async function searchSession(id: string, query: string, signal?: AbortSignal): Promise<readonly Hit[]> {
  const options = { query, limit: 8, order: "relevance" } as const;
  return (await client.searchSession({ params: { id }, query: options, signal })).hits.map(toHit);
}

export interface SessionExport {
  readonly title: string;
  readonly items: readonly LogItem[];
}

/** Reads a whole session from its export, in which the server has replaced secrets. */
export async function readExport(id: string): Promise<SessionExport> {
  const entries: Entry[] = [];
  let title = "";
  for await (const line of client.exportSession({ params: { id } })) {
    const { session, entry } = readFields(JSON.parse(line));
    if (session !== undefined) title = readText(readFields(session).title);
    if (EXPORTED_TYPES.includes(readFields(entry).type)) entries.push(entry as Entry);
  }
  return { title, items: toLogItems(entries, id) };
}
