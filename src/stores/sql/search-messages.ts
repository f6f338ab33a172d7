/**
 * Finds messages by what they say. The newest are looked through one by one where that is soon done; what is older comes
 * from the index, together with whatever the index does not know yet. Where the index cannot be used, all of them are
 * looked through. Each hit is found again in its message, which gives the snippet and has the last word.
 */
import type { MessageEntry } from "../../core/log/entry.ts";
import type { SearchHit, SearchQuery } from "../../ports/store.ts";
import { findInMessage, type Wanted, wantedBy } from "../search/find-in-message.ts";
import { type Row, readNumber, readText } from "./driver.ts";
import { isDamage, mendIndex } from "./mend-index.ts";
import type { SqlContext, SqlReader } from "./sql-context.ts";
import type { ScanEnd, Segment, TextSearch } from "./sql-statements.ts";
import { attachEntries } from "./stored-blobs.ts";
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
  readonly sql: SqlContext;
}

export async function searchMessages(query: SearchQuery, context: SearchContext): Promise<readonly SearchHit[]> {
  const { tenant, segments, sql } = context;
  const wanted = wantedBy(query);
  if (wanted === undefined) return [];
  const isRanked = query.order === "relevance";
  const found: Row[] = [];
  for (const segment of segments ?? [undefined]) {
    const limit = wanted.most - found.length;
    if (limit <= 0) break;
    const search = { tenant, segment, words: wanted.words, role: query.role, limit, isRanked };
    found.push(...(await searchSegment(search, sql)));
  }
  return readHits(isRanked ? await readBest(found, { wanted, ...context }) : found, { wanted, ...context });
}

/** Where the texts themselves are damaged too, that is what the caller hears. */
async function searchSegment(search: TextSearch, sql: SqlContext): Promise<readonly Row[]> {
  const { driver, statements } = sql;
  try {
    return await searchBoth(search, sql);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const [rows = []] = await driver.read([statements.scanTexts(search, undefined)]);
    await mendIndex(sql, error);
    return rows;
  }
}

async function searchBoth(search: TextSearch, sql: SqlReader): Promise<readonly Row[]> {
  const { driver, statements } = sql;
  const isIndexed = search.segment === undefined && search.words.some(isLong);
  if (isIndexed && statements.isIndexOrdered) return searchIndex(search, { end: undefined, sql });
  const [[last] = []] = await driver.read([statements.findScanEnd(search, MESSAGES_SCANNED)]);
  const end = last && { key: readNumber(last, "entry_key"), seq: readNumber(last, "seq") };
  const [newest = []] = await driver.read([statements.scanTexts(search, end)]);
  const limit = search.limit - newest.length;
  if (end === undefined || limit <= 0) return newest;
  return [...newest, ...(await searchIndex({ ...search, limit }, { end, sql }))];
}

function isLong(word: string): boolean {
  return [...word].length >= INDEXED_CHARACTERS;
}

/** The index and what it does not know yet, as of one moment: a text is in exactly one of them. */
async function searchIndex(
  search: TextSearch,
  { end, sql }: { readonly end: ScanEnd | undefined; readonly sql: SqlReader },
): Promise<readonly Row[]> {
  const { driver, statements } = sql;
  const found = await driver.read([
    ...statements.beforeIndexed(search),
    statements.findIndexed(search, end),
    statements.findPending(search, end),
  ]);
  return found
    .flat()
    .sort((left, right) => readNumber(right, "entry_key") - readNumber(left, "entry_key"))
    .slice(0, search.limit);
}

interface HitContext extends SearchContext {
  readonly wanted: Wanted;
}

/** The best of what was found, whole: the best first, equal ones newest first. */
async function readBest(
  found: readonly Row[],
  { wanted: { query }, tenant, sql: { driver, statements } }: HitContext,
): Promise<readonly Row[]> {
  const ranked = found.map((row) => ({ key: readNumber(row, "entry_key"), score: readNumber(row, "score") }));
  const best = ranked.sort((left, right) => right.score - left.score || right.key - left.key).slice(0, query.limit);
  const keys = best.map(({ key }) => key);
  if (keys.length === 0) return [];
  const [rows = []] = await driver.read([statements.readHits(tenant, keys)]);
  const byKey = new Map(rows.map((row) => [readNumber(row, "entry_key"), row]));
  return keys.map((key) => byKey.get(key)).filter((row) => row !== undefined);
}

async function readHits(rows: readonly Row[], { wanted, tenant, sql }: HitContext): Promise<readonly SearchHit[]> {
  const entries = await attachEntries(rows.map(fromStoredEntry), { tenant, sql, onlyTexts: true });
  return rows.flatMap((row, index) => {
    const sessionId = wanted.query.sessionId ?? fromStoredText(readText(row, "session_id"));
    const found = findInMessage(entries[index] as MessageEntry, wanted);
    return found === undefined ? [] : [{ ...found.hit, sessionId }];
  });
}
