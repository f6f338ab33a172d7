/** Searches messages: the newest by a scan, older ones by the index. Each hit is checked against its message. */
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { SearchHit, SearchQuery } from "../../ports/store.ts";
import { findInMessage, type ParsedQuery, parseQuery } from "../shared/find-in-message.ts";
import { type Row, readNumberColumn, readTextColumn } from "./driver.ts";
import { isDamageError, rebuildIndex, type SqlContext, type SqlReader } from "./sql-context.ts";
import type { LogSegment, ScanEnd, TextSearch } from "./sql-statements.ts";
import { readStoredRows } from "./stored-rows.ts";
import { fromStoredText } from "./stored-text.ts";

/** Number of the newest messages that are scanned, in a few milliseconds. */
const MESSAGES_SCANNED = 2_000;

/** Length of the index's pieces; shorter words are slow if many texts contain them. */
const INDEXED_CHARACTERS = 3;

interface SearchContext {
  readonly tenant: string;
  /** Segments to search, newest first; undefined for all sessions. */
  readonly segments: readonly LogSegment[] | undefined;
  readonly sql: SqlContext;
}

export async function searchMessages(query: SearchQuery, context: SearchContext): Promise<readonly SearchHit[]> {
  const { tenant, segments, sql } = context;
  const parsed = parseQuery(query);
  if (parsed === undefined) return [];
  const isRanked = query.order === "relevance";
  const columns = isRanked ? ("score" as const) : ("entry" as const);
  const found: Row[] = [];
  for (const segment of segments ?? [undefined]) {
    const limit = parsed.maxHits - found.length;
    if (limit <= 0) break;
    const search = { tenant, segment, words: parsed.words, role: query.role, limit, columns };
    found.push(...(await searchSegment(search, sql)));
  }
  return readHits(isRanked ? await readBest(found, { parsed, ...context }) : found, { parsed, ...context });
}

/** If the texts are damaged too, the scan throws. */
async function searchSegment(search: TextSearch, sql: SqlContext): Promise<readonly Row[]> {
  const { driver, statements } = sql;
  try {
    return await searchBoth(search, sql);
  } catch (error) {
    if (!isDamageError(error)) throw error;
    const [rows = []] = await driver.read([statements.scanTexts(search, undefined)]);
    await rebuildIndex(sql, error);
    return rows;
  }
}

async function searchBoth(search: TextSearch, sql: SqlReader): Promise<readonly Row[]> {
  const { driver, statements } = sql;
  const isIndexed = search.segment === undefined && search.words.some((word) => [...word].length >= INDEXED_CHARACTERS);
  if (isIndexed && statements.isIndexOrdered) return searchIndex(search, { end: undefined, sql });
  const [[last] = []] = await driver.read([statements.findScanEnd(search, MESSAGES_SCANNED)]);
  const end = last && { key: readNumberColumn(last, "entry_key"), seq: readNumberColumn(last, "seq") };
  const [newest = []] = await driver.read([statements.scanTexts(search, end)]);
  const limit = search.limit - newest.length;
  if (end === undefined || limit <= 0) return newest;
  return [...newest, ...(await searchIndex({ ...search, limit }, { end, sql }))];
}

/** Searches the index and the pending texts from one snapshot, so that each text is in one of them. */
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
    .sort((left, right) => readNumberColumn(right, "entry_key") - readNumberColumn(left, "entry_key"))
    .slice(0, search.limit);
}

interface HitContext extends SearchContext {
  readonly parsed: ParsedQuery;
}

/** Reads the entries of the best rows, best first and equal ones newest first. */
async function readBest(
  found: readonly Row[],
  { parsed: { query }, tenant, sql: { driver, statements } }: HitContext,
): Promise<readonly Row[]> {
  const ranked = found.map((row) => ({
    key: readNumberColumn(row, "entry_key"),
    score: readNumberColumn(row, "score"),
  }));
  const best = ranked.sort((left, right) => right.score - left.score || right.key - left.key).slice(0, query.limit);
  const keys = best.map(({ key }) => key);
  if (keys.length === 0) return [];
  const [rows = []] = await driver.read([statements.readHits(tenant, keys)]);
  const byKey = new Map(rows.map((row) => [readNumberColumn(row, "entry_key"), row]));
  return keys.map((key) => byKey.get(key)).filter((row) => row !== undefined);
}

async function readHits(rows: readonly Row[], { parsed, tenant, sql }: HitContext): Promise<readonly SearchHit[]> {
  const entries = await readStoredRows(rows, { tenant, sql, onlyTexts: true });
  const hits: SearchHit[] = [];
  for (const [index, row] of rows.entries()) {
    const sessionId = parsed.query.sessionId ?? fromStoredText(readTextColumn(row, "session_id"));
    const entry = entries[index];
    const found = entry?.type === "message" ? await runInSteps(findInMessage(entry, parsed)) : undefined;
    if (found !== undefined) hits.push({ ...found.hit, sessionId });
  }
  return hits;
}
