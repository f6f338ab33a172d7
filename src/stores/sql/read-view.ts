/**
 * What a view is made of: the head, the messages that it keeps, and what stands above its floor. A view of ordinary
 * length is read with its head as of one moment; of a long one the rest comes in pages, so that nobody waits for it, and
 * where its past was changed meanwhile it is read again. A fork whose view reaches into what it inherits asks for that
 * afterwards, which can only have been erased meanwhile.
 */
import type { Entry } from "../../core/log/entry.ts";
import type { StoredView } from "../../ports/store.ts";
import type { Row, Statement } from "./driver.ts";
import { nextTurn } from "./next-turn.ts";
import type { SqlReader } from "./sql-context.ts";
import type { SessionPlace } from "./sql-statements.ts";
import { attachEntries } from "./stored-blobs.ts";
import { type DetachedEntry, fromStoredEntry } from "./stored-entry.ts";
import { fromHeadRow, fromSessionRow, type HeadRow, type SessionRow } from "./stored-session.ts";

/** Some five milliseconds of a file's. */
const PLACES_AT_ONCE = 500;
/** Where somebody changes the past over and over, the last try takes all at once. */
const ATTEMPTS = 3;

export async function readView(place: SessionPlace, sql: SqlReader): Promise<StoredView | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const count = attempt < ATTEMPTS ? PLACES_AT_ONCE : Number.MAX_SAFE_INTEGER;
    const reading = await startReading({ place, sql, count });
    if (reading === undefined) return undefined;
    const { session, first } = reading;
    const inherited = await readInherited(reading);
    const later = await readLater(reading);
    if (later === "changed") continue;
    const { header, lastSeq } = session;
    const own = [...first, ...later];
    const entries = inherited.length === 0 ? own : inOrder([...inherited, ...own]);
    return { header, head: session.head, lastSeq, entries };
  }
}

interface Pages {
  readonly place: SessionPlace;
  readonly sql: SqlReader;
  /** Places in one. */
  readonly count: number;
}

interface Reading extends Pages {
  readonly session: SessionRow & HeadRow;
  /** What is kept and the first page. */
  readonly first: readonly Entry[];
}

async function startReading(pages: Pages): Promise<Reading | undefined> {
  const { place, sql, count } = pages;
  const { driver, statements } = sql;
  const [[row] = [], [headRow] = [], kept = [], above = []] = await driver.read([
    statements.findSession(place),
    statements.findHead(place),
    statements.readKeptEntries(place),
    statements.readViewEntries(place, { count }),
  ]);
  if (row === undefined || headRow === undefined) return undefined;
  const session = { ...fromSessionRow(row, place.tenant), ...fromHeadRow(headRow) };
  return { ...pages, session, first: await entriesOf([...kept, ...above], pages) };
}

/** Through what was the last place at the beginning: what came later is news to whoever has the view. */
async function readLater({ place, sql, count, session }: Reading): Promise<readonly Entry[] | "changed"> {
  const { driver, statements } = sql;
  const { viewFromSeq, lastSeq, header, epoch } = session;
  const read: Entry[] = [];
  let afterSeq = viewFromSeq + count;
  if (afterSeq >= lastSeq) return read;
  for (afterSeq = Math.max(afterSeq, header.fork?.atSeq ?? 0); afterSeq < lastSeq; afterSeq += count) {
    await nextTurn();
    const wanted = { afterSeq, count: Math.min(count, lastSeq - afterSeq) };
    const [rows = []] = await driver.read([statements.readViewEntries(place, wanted)]);
    for (const entry of await entriesOf(rows, { place, sql })) read.push(entry);
  }
  const [[row] = []] = await driver.read([statements.findSession(place)]);
  return row !== undefined && fromSessionRow(row, place.tenant).epoch === epoch ? read : "changed";
}

async function readInherited({ place, sql, count, session }: Reading): Promise<readonly Entry[]> {
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
    for (const entry of await entriesOf(rows, { place, sql })) if (isInView(entry)) read.push(entry);
  };
  const keptBelow = kept.filter((seq) => seq <= atSeq);
  if (keptBelow.length > 0) await take(inherited.map((segment) => statements.readEntriesAt(segment, keptBelow)));
  for (let afterSeq = viewFromSeq; afterSeq < atSeq; afterSeq += count) {
    const range = { afterSeq, throughSeq: Math.min(atSeq, afterSeq + count) };
    await take(inherited.map((segment) => statements.readEntries(segment, range)));
    if (range.throughSeq < atSeq) await nextTurn();
  }
  return read;
}

function entriesOf(rows: readonly Row[], { place, sql }: Pick<Pages, "place" | "sql">): Promise<readonly Entry[]> {
  const detached: readonly DetachedEntry[] = rows.map(fromStoredEntry);
  return attachEntries(detached, { tenant: place.tenant, sql });
}

function inOrder(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((left, right) => left.seq - right.seq);
}
