/**
 * Finds messages by what they say, newest first. The newest are looked through one by one where that is soon done; what
 * is older comes from the index, together with whatever the index does not know yet. Each hit is found again in its
 * message, which gives the snippet and has the last word.
 */
import type { MessageEntry } from "../../core/log/entry.ts";
import { messageText } from "../../core/message/message-text.ts";
import type { SearchHit, SearchQuery } from "../../ports/store.ts";
import { findInText, normaliseQuery } from "../search/find-in-text.ts";
import { type Row, readNumber, readText } from "./driver.ts";
import type { SqlReader } from "./sql-context.ts";
import type { ScanEnd, Segment, TextSearch } from "./sql-statements.ts";
import { fromStoredEntry } from "./stored-entry.ts";
import { fromStoredText } from "./stored-text.ts";

/** Looked through in a few milliseconds. */
const MESSAGES_SCANNED = 2_000;

/** The index holds pieces of so many characters; it is slow for fewer where many texts have them. */
const INDEXED_CHARACTERS = 3;

interface SearchContext {
  readonly tenant: string;
  /** Where to look, newest first; everywhere without it. */
  readonly segments: readonly Segment[] | undefined;
  readonly sql: SqlReader;
}

export async function searchMessages(query: SearchQuery, context: SearchContext): Promise<readonly SearchHit[]> {
  const { tenant, segments, sql } = context;
  const text = normaliseQuery(query.text);
  if (text === "" || query.limit <= 0) return [];
  const rows: Row[] = [];
  for (const segment of segments ?? [undefined]) {
    const limit = query.limit - rows.length;
    if (limit <= 0) break;
    rows.push(...(await searchSegment({ tenant, segment, text, role: query.role, limit }, sql)));
  }
  return rows.flatMap((row) => findHit(row, query) ?? []);
}

async function searchSegment(search: TextSearch, sql: SqlReader): Promise<readonly Row[]> {
  const { driver, statements } = sql;
  const isIndexed = search.segment === undefined && [...search.text].length >= INDEXED_CHARACTERS;
  if (isIndexed && statements.isIndexOrdered) return searchIndex(search, { end: undefined, sql });
  const [[last] = []] = await driver.read([statements.findScanEnd(search, MESSAGES_SCANNED)]);
  const end = last && { key: readNumber(last, "entry_key"), seq: readNumber(last, "seq") };
  const [newest = []] = await driver.read([statements.scanTexts(search, end)]);
  const limit = search.limit - newest.length;
  if (end === undefined || limit <= 0) return newest;
  return [...newest, ...(await searchIndex({ ...search, limit }, { end, sql }))];
}

/** The index and what it does not know yet, as of one moment: a text is in exactly one of them. */
async function searchIndex(
  search: TextSearch,
  { end, sql }: Pick<SearchContext, "sql"> & { readonly end: ScanEnd | undefined },
): Promise<readonly Row[]> {
  const { driver, statements } = sql;
  const found = await driver.read([statements.findIndexed(search, end), statements.findPending(search, end)]);
  return found
    .flat()
    .sort((left, right) => readNumber(right, "entry_key") - readNumber(left, "entry_key"))
    .slice(0, search.limit);
}

function findHit(row: Row, query: SearchQuery): SearchHit | undefined {
  const { message, seq, id } = fromStoredEntry(row) as MessageEntry;
  const match = findInText(messageText(message), query.text);
  const sessionId = query.sessionId ?? fromStoredText(readText(row, "session_id"));
  return match && { ...match, sessionId, seq, messageId: id, role: message.role };
}
