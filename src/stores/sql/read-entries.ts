/** Reads entries of a log from its own and its inherited segments. */
import type { Entry, EntryId } from "../../core/log/entry.ts";
import type { EntryRange } from "../../ports/store.ts";
import { createDamageError, type Row, readNumberColumn, waitForEventLoop } from "./driver.ts";
import type { SqlReader } from "./sql-context.ts";
import type { LogSegment } from "./sql-statements.ts";
import type { DetachedEntry } from "./stored-entry.ts";
import {
  describeChange,
  isShown,
  makeMarker,
  matchesHash,
  readRow,
  readStoredEntries,
  readStoredRows,
} from "./stored-rows.ts";
import type { SessionRow } from "./stored-session.ts";
import { toStoredText } from "./stored-text.ts";
import { type LostCheck, warnIfLost } from "./warn-if-lost.ts";

interface RangeOfSegments {
  readonly range: EntryRange;
  readonly sql: SqlReader;
}

/** Reads a range of entries. Damaged ones are left out, unless the range includes markers. */
export async function readLog(session: SessionRow, range: EntryRange, sql: SqlReader): Promise<readonly Entry[]> {
  const rows = await readRows(session.segments, { range, sql });
  const entries = await readStoredRows(rows, { tenant: session.segments[0]?.tenant ?? "", sql });
  // Entries of other types may be anywhere in the log, so that nothing is expected between them.
  if (range.types === undefined || range.types.includes("message"))
    await warnIfLost(session, rangeOfRows(rows, { range, lastSeq: session.lastSeq }), sql);
  const found = entries.filter((entry) => entry !== undefined);
  const readable = range.markers === true ? found : found.filter(isShown);
  const last = rows.at(-1);
  if (range.limit === undefined || last === undefined || readable.length === rows.length) return readable;
  const seq = readNumberColumn(last, "seq");
  const rest = range.newestFirst === true ? { throughSeq: seq - 1 } : { afterSeq: seq };
  const more = { ...range, ...rest, limit: range.limit - readable.length };
  return [...readable, ...(await readLog(session, more, sql))];
}

/** Returns the seqs between the ends of what was read. */
function rangeOfRows(
  rows: readonly Row[],
  { range, lastSeq }: { readonly range: EntryRange; readonly lastSeq: number },
): LostCheck {
  const { limit, newestFirst = false } = range;
  const afterSeq = Math.max(0, range.afterSeq ?? 0);
  const throughSeq = Math.min(range.throughSeq ?? lastSeq, lastSeq);
  const found = rows.length;
  const last = rows.at(-1);
  if (last === undefined || limit === undefined || rows.length < limit) return { afterSeq, throughSeq, found };
  const seq = readNumberColumn(last, "seq");
  return newestFirst
    ? { afterSeq: seq - 1, throughSeq, found }
    : { afterSeq, throughSeq: Math.min(seq, lastSeq), found };
}

/** Reads the whole log in pages. Damaged messages become markers; other damaged entries are left out. */
export async function* readPages(
  segments: readonly LogSegment[],
  sql: SqlReader,
): AsyncGenerator<readonly Entry[], void, undefined> {
  for (let afterSeq = 0; ; ) {
    const rows = await readRows(segments, { range: { afterSeq, limit: ENTRIES_PER_PAGE }, sql });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield await readStoredEntries(rows, { tenant: segments[0]?.tenant ?? "", sql });
    afterSeq = readNumberColumn(last, "seq");
    await waitForEventLoop();
  }
}

const ENTRIES_PER_PAGE = 500;

async function readRows(segments: readonly LogSegment[], { range, sql }: RangeOfSegments): Promise<readonly Row[]> {
  const { driver, statements } = sql;
  const { limit = Number.POSITIVE_INFINITY, newestFirst = false } = range;
  const found: Row[] = [];
  for (const segment of newestFirst ? segments : segments.toReversed()) {
    const left = limit - found.length;
    if (left <= 0) break;
    const wanted = { ...range, limit: Number.isFinite(left) ? left : undefined };
    const [rows = []] = await driver.read([statements.readEntries(segment, wanted)]);
    for (const row of rows) found.push(row);
  }
  return found;
}

/** A stored entry and the key of the session that owns it. */
export interface OwnedEntry {
  readonly entry: DetachedEntry;
  readonly key: number;
  /** Set if the row is damaged: the entry then has only its place, id and hash. */
  readonly damage?: string | undefined;
}

/** Finds entries by id, without their blobs. Their texts are compared with the checksum only. */
export async function findEntries(
  segments: readonly LogSegment[],
  { ids, sql }: { readonly ids: readonly EntryId[] } & Pick<RangeOfSegments, "sql">,
): Promise<ReadonlyMap<EntryId, OwnedEntry>> {
  if (ids.length === 0) return new Map();
  const stored = ids.map(toStoredText);
  const { driver, statements, contents } = sql;
  const results = await driver.read(segments.map((segment) => statements.readEntriesById(segment, stored)));
  const keys = results.flatMap((rows, index) => rows.map(() => segments[index]?.key ?? 0));
  const rows = results.flat();
  const known = contents === undefined ? undefined : await contents.readEntries(rows, {});
  const owned = rows.map((row, index) => {
    const key = keys[index] ?? 0;
    const entry = known?.[index];
    return entry === undefined ? readOwned(row, key) : { entry, key };
  });
  return new Map(owned.map((each) => [each.entry.id, each]));
}

function isOtherText(entry: DetachedEntry | undefined): boolean {
  return entry?.type === "message" && entry.erased !== true && entry.blobs === undefined && !matchesHash(entry);
}

/**
 * Finds an entry by id. A damaged message becomes a marker; for any other damaged entry, throws an error that names it.
 */
export async function findEntry(
  segments: readonly LogSegment[],
  { id, sql }: { readonly id: EntryId } & Pick<RangeOfSegments, "sql">,
): Promise<Entry | undefined> {
  const { driver, statements } = sql;
  const ids = [toStoredText(id)];
  const results = await driver.read(segments.map((segment) => statements.readEntriesById(segment, ids)));
  const [row] = results.flat();
  if (row === undefined) return undefined;
  const [entry] = await readStoredRows([row], { tenant: segments[0]?.tenant ?? "", sql });
  if (entry === undefined) throw createDamageError(`The entry ${JSON.stringify(id)} does not match its checksum`);
  return entry;
}

function readOwned(row: Row, key: number): OwnedEntry {
  const { entry, state } = readRow(row);
  const isProven = state === "matches" || (state === "absent" && !isOtherText(entry));
  if (entry !== undefined && isProven) return { entry, key };
  const damage = describeChange(row, "it is not shown");
  const marker = makeMarker(row, entry);
  if (marker === undefined && entry !== undefined) return { entry, key, damage };
  if (marker === undefined) throw createDamageError(damage);
  const blobs = entry?.blobs;
  return { entry: { ...marker, hash: String(row.hash ?? ""), ...(blobs && { blobs }) }, key, damage };
}
