/**
 * Reads a view: the head, the messages that it keeps, and everything above its floor. A view of ordinary length is read
 * with its head from one snapshot. A longer one is read in pages that yield to the event loop, and again if the epoch
 * moved meanwhile. Inherited entries of a fork are read afterwards; they can only have been erased meanwhile.
 */
import { type Entry, isShownType } from "../../core/log/entry.ts";
import type { PartLimits, StoredView } from "../../ports/store.ts";
import { PartEnd } from "../shared/part-of-view.ts";
import { type Statement, waitForEventLoop } from "./driver.ts";
import { restoreIfChanged } from "./restore-head.ts";
import { type SqlReader, warnIfChanged } from "./sql-context.ts";
import type { SessionPlace } from "./sql-statements.ts";
import { readStoredEntries } from "./stored-rows.ts";
import { fromHeadRow, fromSessionRow, type HeadRow, type SessionRow } from "./stored-session.ts";

/** Number of seqs in a page, which takes about five milliseconds on a local file. */
const SEQS_PER_PAGE = 500;
/** Attempts to read a whole view in pages. If the epoch keeps moving, the last one reads everything at once. */
const ATTEMPTS = 3;

export async function readView(
  place: SessionPlace,
  sql: SqlReader,
  part?: PartLimits,
): Promise<StoredView | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const count = Math.min(part?.maxSeqs ?? SEQS_PER_PAGE, SEQS_PER_PAGE);
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
    if (end.throughSeq === lastSeq) return { header, head, lastSeq, entries };
    const isRead = ({ seq }: Entry) => seq <= end.throughSeq;
    return { header, head, lastSeq, entries: entries.filter(isRead), partThroughSeq: end.throughSeq };
  }
}

interface PageOptions {
  readonly place: SessionPlace;
  readonly sql: SqlReader;
  readonly count: number;
}

interface ViewReading extends PageOptions {
  readonly session: SessionRow & HeadRow;
  readonly first: readonly Entry[];
  readonly end: PartEnd;
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
  const first = await readStoredEntries([...kept, ...above], { tenant: place.tenant, sql });
  const session = { ...fromSessionRow(row, place.tenant), ...head };
  const end = new PartEnd(session.viewFromSeq, session.lastSeq, part);
  end.add(first, session.viewFromSeq + count);
  return { ...pages, session, first, end };
}

/** Reads up to the last seq at the start; callers get later entries another way. */
async function readLater({ place, sql, count, session, end }: ViewReading): Promise<readonly Entry[] | "changed"> {
  const { driver, statements } = sql;
  const { viewFromSeq, header, epoch } = session;
  const read: Entry[] = [];
  let afterSeq = viewFromSeq + count;
  if (afterSeq >= end.throughSeq) return read;
  for (afterSeq = Math.max(afterSeq, header.fork?.atSeq ?? 0); afterSeq < end.throughSeq; afterSeq += count) {
    await waitForEventLoop();
    const wanted = { afterSeq, count: Math.min(count, end.throughSeq - afterSeq) };
    const [rows = []] = await driver.read([statements.readViewEntries(place, wanted)]);
    const page = await readStoredEntries(rows, { tenant: place.tenant, sql });
    for (const entry of page) read.push(entry);
    end.add(page, afterSeq + wanted.count);
  }
  const [[row] = []] = await driver.read([statements.findSession(place)]);
  return row !== undefined && fromSessionRow(row, place.tenant).epoch === epoch ? read : "changed";
}

async function readInherited({ place, sql, count, session, end }: ViewReading): Promise<readonly Entry[]> {
  const { segments, kept, viewFromSeq, floorSeq, foldedThroughSeq, header } = session;
  const { driver, statements } = sql;
  const atSeq = header.fork?.atSeq ?? 0;
  const inherited = segments.slice(1);
  const read: Entry[] = [];
  const isInView = ({ seq, type }: Entry) =>
    seq <= viewFromSeq || seq > foldedThroughSeq || (isShownType(type) && seq > floorSeq);
  const take = async (wanted: readonly Statement[], pageEnd: number) => {
    if (wanted.length === 0) return;
    const rows = (await driver.read(wanted)).flat();
    const page = (await readStoredEntries(rows, { tenant: place.tenant, sql })).filter(isInView);
    for (const entry of page) read.push(entry);
    end.add(page, pageEnd);
  };
  const keptBelow = kept.filter((seq) => seq <= atSeq);
  const readKept = keptBelow.length === 0 ? [] : inherited.map((each) => statements.readEntriesAt(each, keptBelow));
  await take(readKept, viewFromSeq + count);
  for (let afterSeq = viewFromSeq; afterSeq < Math.min(atSeq, end.throughSeq); afterSeq += count) {
    const throughSeq = Math.min(atSeq, end.throughSeq, afterSeq + count);
    await take(
      inherited.map((segment) => statements.readEntries(segment, { afterSeq, throughSeq })),
      throughSeq,
    );
    if (throughSeq < atSeq) await waitForEventLoop();
  }
  return read;
}
