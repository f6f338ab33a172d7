/**
 * Finds candidates for recall with the word index, and reads only the chosen messages. Messages that are not indexed yet
 * are read if they are few, and searched with the search index otherwise.
 */
import { normalizeQuery } from "../../core/message/search-text.ts";
import { findWordKey, readWordKeysInSteps, WORD_KEYS_VERSION } from "../../core/recall/word-keys.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { CandidateQuery, Candidates } from "../../ports/store.ts";
import { chooseCandidates } from "../shared/choose-candidates.ts";
import { cutRow, listWordBlocks, type SeqRange, type WordRow, WordRows } from "../shared/word-places.ts";
import { type Row, readNumberColumn, readTextColumn } from "./driver.ts";
import { isDamageError, rebuildIndex, type SqlContext } from "./sql-context.ts";
import type { LogSegment, TextSearch } from "./sql-statements.ts";
import { isShown, readStoredRows } from "./stored-rows.ts";
import type { SessionRow } from "./stored-session.ts";

/** A search reads at most this much that is not indexed yet. */
const UNINDEXED = { texts: 200, bytes: 200_000 };
/** The search index returns at most this many of the newest messages with a word. */
const FOUND_PER_WORD = 300;
/** Unindexed messages of a session that are worth indexing even if the searched range has none of them. */
const MIN_BEHIND = 64;

export async function findCandidates(
  session: Pick<SessionRow, "segments" | "lastSeq">,
  query: CandidateQuery,
  sql: SqlContext,
): Promise<Candidates> {
  const words = query.words.filter((word) => normalizeQuery(word) !== "");
  const { counts, seqs } = chooseCandidates(await findRows(session, { ...query, words }, sql), query);
  const { driver, statements } = sql;
  if (seqs.length === 0) return { counts, messages: [] };
  const { segments } = session;
  const rows = await driver.read(segments.toReversed().map((segment) => statements.readMessagesAt(segment, seqs)));
  const tenant = segments[0]?.tenant ?? "";
  const entries = await readStoredRows(rows.flat(), { tenant, sql, onlyTexts: true });
  const messages = entries.filter((entry) => entry?.type === "message");
  return { counts, messages: messages.filter((entry) => entry.erased !== true && isShown(entry)) };
}

/** Returns nothing and rebuilds the index if it is damaged. */
async function findRows(
  session: Pick<SessionRow, "segments" | "lastSeq">,
  query: CandidateQuery,
  sql: SqlContext,
): Promise<readonly WordRow[]> {
  const { segments, lastSeq } = session;
  const rows: WordRow[] = [];
  try {
    for (const [index, segment] of segments.entries()) {
      const afterSeq = Math.max(query.afterSeq ?? 0, segments[index + 1]?.throughSeq ?? 0);
      const throughSeq = Math.min(query.throughSeq, segment.throughSeq);
      const range = { ...segment, afterSeq, throughSeq, lastSeq: index === 0 ? lastSeq : throughSeq };
      if (afterSeq < throughSeq && query.words.length > 0)
        rows.push(...(await findSegmentRows(range, query.words, sql)));
    }
    return rows;
  } catch (error) {
    if (!isDamageError(error)) throw error;
    await rebuildIndex(sql, error);
    return [];
  }
}

/** A segment of a session's own entries after a seq. */
interface SearchedSegment extends LogSegment {
  readonly afterSeq: number;
  readonly lastSeq: number;
}

async function findSegmentRows(
  segment: SearchedSegment,
  words: readonly string[],
  sql: SqlContext,
): Promise<readonly WordRow[]> {
  const { driver, statements, wordIndexer } = sql;
  const { afterSeq, throughSeq, lastSeq } = segment;
  const keys = Map.groupBy(words, findWordKey);
  const blocks = listWordBlocks(segment);
  const [[progress] = [], found = []] = await driver.read([
    statements.findWordProgress(segment),
    statements.findWordRows(segment, { blocks, words: [...keys.keys()] }),
  ]);
  const indexedSeq = findIndexedSeq(progress);
  const fromSeq = Math.max(afterSeq, indexedSeq);
  if (fromSeq < throughSeq || lastSeq - indexedSeq >= MIN_BEHIND) wordIndexer.schedule(segment);
  const rows =
    indexedSeq === 0 ? [] : found.flatMap((row) => toWordRows(row, { keys, range: { afterSeq, throughSeq } }));
  if (fromSeq >= throughSeq) return rows;
  return [...rows, ...(await findUnindexed({ ...segment, afterSeq: fromSeq }, keys, sql))];
}

/** Returns 0 if nothing is indexed, or only with keys of another version. */
function findIndexedSeq(progress: Row | undefined): number {
  const isCurrent = progress !== undefined && readNumberColumn(progress, "version") === WORD_KEYS_VERSION;
  return isCurrent ? readNumberColumn(progress, "through_seq") : 0;
}

interface RowContext {
  /** The words of the query by their keys. */
  readonly keys: ReadonlyMap<number, readonly string[]>;
  readonly range: SeqRange;
}

function toWordRows(row: Row, { keys, range }: RowContext): readonly WordRow[] {
  const key = readNumberColumn(row, "word");
  const cut = cutRow(
    { word: key, block: readNumberColumn(row, "block"), places: readTextColumn(row, "places") },
    range,
  );
  return (keys.get(key) ?? []).map((word) => ({ ...cut, word }));
}

async function findUnindexed(
  segment: SearchedSegment,
  keys: ReadonlyMap<number, readonly string[]>,
  sql: SqlContext,
): Promise<readonly WordRow[]> {
  const { driver, statements } = sql;
  const { afterSeq, throughSeq } = segment;
  const rows = new WordRows();
  const [texts = []] = await driver.read([statements.readWordTexts(segment, { afterSeq, ...UNINDEXED })]);
  for (const row of texts) {
    const seq = readNumberColumn(row, "seq");
    if (seq > throughSeq) return rows.list();
    const own = await runInSteps(readWordKeysInSteps(readTextColumn(row, "text")));
    const words = [...keys].flatMap(([key, named]) => (own.has(key) ? named : []));
    rows.add(seq, words);
  }
  const last = texts.at(-1);
  const readSeq = last === undefined ? throughSeq : readNumberColumn(last, "seq");
  if (readSeq < throughSeq) await searchUnindexed({ ...segment, afterSeq: readSeq }, { keys, rows, sql });
  return rows.list();
}

interface UnindexedSearch {
  readonly keys: ReadonlyMap<number, readonly string[]>;
  readonly rows: WordRows;
  readonly sql: SqlContext;
}

/** Adds the newest messages with each word, from the search index. All words are searched in one read. */
async function searchUnindexed(segment: SearchedSegment, { keys, rows, sql }: UnindexedSearch): Promise<void> {
  const { driver, statements } = sql;
  const words = [...keys.values()].flat();
  const groups = words.map((word) => {
    const search = createSearch(word, segment);
    const { beforeIndexed, findIndexed, findPending } = statements;
    return [...beforeIndexed(search), findIndexed(search, undefined), findPending(search, undefined)];
  });
  const results = await driver.read(groups.flat());
  let taken = 0;
  for (const [index, { length }] of groups.entries()) {
    const seqs = results
      .slice(taken, taken + length)
      .flatMap((found) => found.map((row) => readNumberColumn(row, "seq")));
    taken += length;
    for (const seq of new Set(seqs)) if (seq > segment.afterSeq) rows.add(seq, [words[index] ?? ""]);
  }
}

function createSearch(word: string, segment: SearchedSegment): TextSearch {
  const { tenant } = segment;
  return { tenant, segment, words: [normalizeQuery(word)], role: undefined, limit: FOUND_PER_WORD, columns: "seq" };
}
