/**
 * Reads a view: the head, the messages that it keeps, and everything above its floor. A view of ordinary length is read
 * with its head from one snapshot. A longer one is read in pages that yield to the event loop, and again if the epoch
 * moved in the meantime. Inherited entries of a fork are read afterwards; they can only have been erased in the
 * meantime.
 */
import { type Entry, isShownType } from "../../core/log/entry.ts";
import type { PartLimits, StoredView } from "../../ports/store.ts";
import { countFirstPage, PartLimiter } from "../shared/part-of-view.ts";
import { type Row, readNumberColumn, type Statement, waitForEventLoop } from "./driver.ts";
import { restoreIfChanged } from "./restore-head.ts";
import { type SqlReader, warnIfChanged } from "./sql-context.ts";
import type { SessionPlace } from "./sql-statements.ts";
import { readStoredEntries } from "./stored-rows.ts";
import { fromHeadRow, fromSessionRow, type HeadRow, type SessionRow } from "./stored-session.ts";
import { warnIfLost } from "./warn-if-lost.ts";

/** Entries whose images and long texts are read at once. */
const ATTACHED_AT_ONCE = 20;
/** Attempts to read a whole view in pages. If the epoch keeps moving, the last one reads everything at once. */
const ATTEMPTS = 3;

export async function readView(
  place: SessionPlace,
  sql: SqlReader,
  part?: PartLimits,
): Promise<StoredView | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const count = countFirstPage(part);
    const isLast = attempt === ATTEMPTS && part === undefined;
    const reading = await startReading({ place, sql, count: isLast ? Number.MAX_SAFE_INTEGER : count }, part);
    if (reading === undefined) return undefined;
    const { session, first, end } = reading;
    const inherited = await readInherited(reading);
    const later = await readLater(reading);
    if (later === "changed") continue;
    const { header, head, lastSeq } = session;
    const own = [...first, ...later];
    const entries = inherited.length === 0 ? own : [...inherited, ...own].sort((left, right) => left.seq - right.seq);
    await reportLost(reading, entries);
    if (end.throughSeq === lastSeq) return { header, head, lastSeq, entries };
    const isRead = ({ seq }: Entry) => seq <= end.throughSeq;
    return { header, head, lastSeq, entries: entries.filter(isRead), partThroughSeq: end.throughSeq };
  }
}

/** Warns of kept entries, and of entries above them, that have no row. */
async function reportLost({ session, sql, end }: ViewReading, entries: readonly Entry[]): Promise<void> {
  const { viewFromSeq, kept } = session;
  const seqs = new Set(entries.map(({ seq }) => seq));
  for (const seq of kept) {
    if (!seqs.has(seq)) await warnIfLost(session, { afterSeq: seq - 1, throughSeq: seq, found: 0 }, sql);
  }
  const throughSeq = Math.min(end.throughSeq, session.lastSeq);
  const found = entries.filter(({ seq }) => seq > viewFromSeq).length;
  await warnIfLost(session, { afterSeq: viewFromSeq, throughSeq, found }, sql);
}

interface PageOptions {
  readonly place: SessionPlace;
  readonly sql: SqlReader;
  /** Seqs in the first page. */
  readonly count: number;
}

interface ViewReading extends PageOptions {
  readonly session: SessionRow & HeadRow;
  readonly first: readonly Entry[];
  readonly end: PartLimiter;
}

async function startReading(pages: PageOptions, part: PartLimits | undefined): Promise<ViewReading | undefined> {
  const { place, sql, count } = pages;
  const { driver, statements } = sql;
  const [[row] = [], [headRow] = [], kept = [], above = []] = await driver.read([
    statements.findSession(place),
    statements.findHead(place),
    statements.readKeptEntries(place),
    statements.readViewEntries(place, { count }),
  ]);
  if (row === undefined || headRow === undefined) return undefined;
  warnIfChanged(row, sql);
  if (await restoreIfChanged(headRow, { place, session: row, sql })) return startReading(pages, part);
  const head = fromHeadRow((await sql.contents?.readHead(headRow)) ?? headRow);
  const session = { ...fromSessionRow(row, place.tenant), ...head };
  const end = new PartLimiter(session.viewFromSeq, session.lastSeq, part);
  const below = await readStoredEntries(kept, { tenant: place.tenant, sql });
  end.add(below, session.viewFromSeq);
  const shown = await readRows(above, { place, sql, end, pageEnd: session.viewFromSeq + count });
  const first = [...below, ...shown];
  return { ...pages, session, first, end };
}

interface PageEnd extends Omit<PageOptions, "count"> {
  readonly end: PartLimiter;
  readonly pageEnd: number;
  readonly isWanted?: ((entry: Entry) => boolean) | undefined;
}

/** Reads the entries of a page, but not the images and long texts after the end of the part. */
async function readRows(rows: readonly Row[], { place, sql, end, pageEnd, isWanted }: PageEnd): Promise<Entry[]> {
  const read: Entry[] = [];
  for (let start = 0; start < rows.length; start += ATTACHED_AT_ONCE) {
    const some = rows.slice(start, start + ATTACHED_AT_ONCE);
    const entries = await readStoredEntries(some, { tenant: place.tenant, sql });
    const wanted = isWanted === undefined ? entries : entries.filter(isWanted);
    for (const entry of wanted) read.push(entry);
    const next = rows[start + ATTACHED_AT_ONCE];
    const lastSeq = next === undefined ? pageEnd : readNumberColumn(next, "seq") - 1;
    end.add(wanted, lastSeq);
    if (end.throughSeq <= lastSeq) break;
  }
  end.endPage();
  return read;
}

/** Reads up to the last seq at the start; callers get later entries another way. */
async function readLater({ place, sql, count, session, end }: ViewReading): Promise<readonly Entry[] | "changed"> {
  const { driver, statements } = sql;
  const { viewFromSeq, header, epoch } = session;
  const read: Entry[] = [];
  let afterSeq = viewFromSeq + count;
  if (afterSeq >= end.throughSeq) return read;
  for (afterSeq = Math.max(afterSeq, header.fork?.atSeq ?? 0); afterSeq < end.throughSeq; ) {
    await waitForEventLoop();
    const wanted = { afterSeq, count: Math.min(end.pageCount, end.throughSeq - afterSeq) };
    afterSeq += wanted.count;
    const [rows = []] = await driver.read([statements.readViewEntries(place, wanted)]);
    for (const entry of await readRows(rows, { place, sql, end, pageEnd: afterSeq })) read.push(entry);
  }
  const [[row] = []] = await driver.read([statements.findSession(place)]);
  return row !== undefined && fromSessionRow(row, place.tenant).epoch === epoch ? read : "changed";
}

async function readInherited({ place, sql, session, end }: ViewReading): Promise<readonly Entry[]> {
  const { segments, kept, viewFromSeq, floorSeq, foldedThroughSeq, header } = session;
  const { driver, statements } = sql;
  const atSeq = header.fork?.atSeq ?? 0;
  const inherited = segments.slice(1);
  const read: Entry[] = [];
  const isInView = ({ seq, type }: Entry) =>
    seq <= viewFromSeq || seq > foldedThroughSeq || (isShownType(type) && seq > floorSeq);
  const take = async (wanted: readonly Statement[], pageEnd: number) => {
    const rows = (await driver.read(wanted))
      .flat()
      .sort((left, right) => readNumberColumn(left, "seq") - readNumberColumn(right, "seq"));
    for (const entry of await readRows(rows, { place, sql, end, pageEnd, isWanted: isInView })) read.push(entry);
  };
  const keptBelow = kept.filter((seq) => seq <= atSeq);
  if (keptBelow.length > 0) {
    const rows = (await driver.read(inherited.map((each) => statements.readEntriesAt(each, keptBelow)))).flat();
    const below = (await readStoredEntries(rows, { tenant: place.tenant, sql })).filter(isInView);
    for (const entry of below) read.push(entry);
    end.add(below, viewFromSeq);
  }
  for (let afterSeq = viewFromSeq; afterSeq < Math.min(atSeq, end.throughSeq); ) {
    const throughSeq = Math.min(atSeq, end.throughSeq, afterSeq + end.pageCount);
    const range = { afterSeq, throughSeq };
    afterSeq = throughSeq;
    await take(
      inherited.map((segment) => statements.readEntries(segment, range)),
      throughSeq,
    );
    if (throughSeq < atSeq) await waitForEventLoop();
  }
  return read;
}
