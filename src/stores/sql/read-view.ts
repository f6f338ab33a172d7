/**
 * Reads a view: the head, the messages that it keeps, and everything above its floor. A view of ordinary length is read
 * with its head from one snapshot. A longer one is read in pages that yield to the event loop, and again if the epoch
 * moved meanwhile. Inherited entries of a fork are read afterwards; they can only have been erased meanwhile.
 */
import type { Entry } from "../../core/log/entry.ts";
import type { StoredView } from "../../ports/store.ts";
import { type Statement, yieldToEventLoop } from "./driver.ts";
import type { SqlReader } from "./sql-context.ts";
import type { SessionPlace } from "./sql-statements.ts";
import { readStoredEntries } from "./stored-blobs.ts";
import { fromHeadRow, fromSessionRow, type HeadRow, type SessionRow } from "./stored-session.ts";

/** About five milliseconds on a local file. */
const SEQS_PER_PAGE = 500;
/** If the epoch keeps moving, the last attempt reads everything at once. */
const ATTEMPTS = 3;

export async function readView(place: SessionPlace, sql: SqlReader): Promise<StoredView | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const count = attempt < ATTEMPTS ? SEQS_PER_PAGE : Number.MAX_SAFE_INTEGER;
    const reading = await startReading({ place, sql, count });
    if (reading === undefined) return undefined;
    const { session, first } = reading;
    const inherited = await readInherited(reading);
    const later = await readLater(reading);
    if (later === "changed") continue;
    const { header, lastSeq } = session;
    const own = [...first, ...later];
    const entries = inherited.length === 0 ? own : sortBySeq([...inherited, ...own]);
    return { header, head: session.head, lastSeq, entries };
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
}

async function startReading(pages: PageOptions): Promise<ViewReading | undefined> {
  const { place, sql, count } = pages;
  const { driver, statements } = sql;
  const [[row] = [], [headRow] = [], kept = [], above = []] = await driver.read([
    statements.findSession(place),
    statements.findHead(place),
    statements.readKeptEntries(place),
    statements.readViewEntries(place, { count }),
  ]);
  if (row === undefined || headRow === undefined) return undefined;
  const head = fromHeadRow((await sql.contents?.readHead(headRow)) ?? headRow);
  const first = await readStoredEntries([...kept, ...above], { tenant: place.tenant, sql });
  return { ...pages, session: { ...fromSessionRow(row, place.tenant), ...head }, first };
}

/** Reads up to the last seq at the start; callers learn of later entries otherwise. */
async function readLater({ place, sql, count, session }: ViewReading): Promise<readonly Entry[] | "changed"> {
  const { driver, statements } = sql;
  const { viewFromSeq, lastSeq, header, epoch } = session;
  const read: Entry[] = [];
  let afterSeq = viewFromSeq + count;
  if (afterSeq >= lastSeq) return read;
  for (afterSeq = Math.max(afterSeq, header.fork?.atSeq ?? 0); afterSeq < lastSeq; afterSeq += count) {
    await yieldToEventLoop();
    const wanted = { afterSeq, count: Math.min(count, lastSeq - afterSeq) };
    const [rows = []] = await driver.read([statements.readViewEntries(place, wanted)]);
    for (const entry of await readStoredEntries(rows, { tenant: place.tenant, sql })) read.push(entry);
  }
  const [[row] = []] = await driver.read([statements.findSession(place)]);
  return row !== undefined && fromSessionRow(row, place.tenant).epoch === epoch ? read : "changed";
}

async function readInherited({ place, sql, count, session }: ViewReading): Promise<readonly Entry[]> {
  const { segments, kept, viewFromSeq, floorSeq, foldedThroughSeq, header } = session;
  const { driver, statements } = sql;
  const atSeq = header.fork?.atSeq ?? 0;
  const inherited = segments.slice(1);
  const read: Entry[] = [];
  const isInView = ({ seq, type }: Entry) =>
    seq <= viewFromSeq || seq > foldedThroughSeq || ((type === "message" || type === "note") && seq > floorSeq);
  const take = async (wanted: readonly Statement[]) => {
    if (wanted.length === 0) return;
    const rows = (await driver.read(wanted)).flat();
    for (const entry of await readStoredEntries(rows, { tenant: place.tenant, sql })) {
      if (isInView(entry)) read.push(entry);
    }
  };
  const keptBelow = kept.filter((seq) => seq <= atSeq);
  if (keptBelow.length > 0) await take(inherited.map((segment) => statements.readEntriesAt(segment, keptBelow)));
  for (let afterSeq = viewFromSeq; afterSeq < atSeq; afterSeq += count) {
    const range = { afterSeq, throughSeq: Math.min(atSeq, afterSeq + count) };
    await take(inherited.map((segment) => statements.readEntries(segment, range)));
    if (range.throughSeq < atSeq) await yieldToEventLoop();
  }
  return read;
}

function sortBySeq(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((left, right) => left.seq - right.seq);
}
