/**
 * What a view is made of, as of one moment: the head, the messages that it keeps, and what stands above its floor. Own
 * entries come with the head in one read; a fork whose view reaches into what it inherits asks for that afterwards,
 * which can only have been erased meanwhile.
 */
import type { StoredView } from "../../ports/store.ts";
import type { Statement } from "./driver.ts";
import type { SqlReader } from "./sql-context.ts";
import type { SessionPlace } from "./sql-statements.ts";
import { attachEntries } from "./stored-blobs.ts";
import { type DetachedEntry, fromStoredEntry } from "./stored-entry.ts";
import { fromHeadRow, fromSessionRow, type HeadRow, type SessionRow } from "./stored-session.ts";

export async function readView(place: SessionPlace, sql: SqlReader): Promise<StoredView | undefined> {
  const { driver, statements } = sql;
  const [[row] = [], [headRow] = [], kept = [], above = []] = await driver.read([
    statements.findSession(place),
    statements.findHead(place),
    statements.readKeptEntries(place),
    statements.readViewEntries(place),
  ]);
  if (row === undefined || headRow === undefined) return undefined;
  const session = fromSessionRow(row, place.tenant);
  const headed = fromHeadRow(headRow);
  const inherited = await readInherited({ ...session, ...headed }, sql);
  const own = [...kept, ...above].map(fromStoredEntry);
  const { header, lastSeq } = session;
  const detached = inherited.length === 0 ? own : inOrder([...inherited, ...own]);
  const entries = await attachEntries(detached, { tenant: place.tenant, sql });
  return { header, head: headed.head, lastSeq, entries };
}

async function readInherited(
  session: SessionRow & HeadRow,
  { driver, statements }: SqlReader,
): Promise<readonly DetachedEntry[]> {
  const { segments, kept, viewFromSeq, floorSeq, foldedThroughSeq, header } = session;
  const atSeq = header.fork?.atSeq ?? 0;
  const inherited = segments.slice(1);
  const wanted: Statement[] = [];
  const keptBelow = kept.filter((seq) => seq <= atSeq);
  if (keptBelow.length > 0) wanted.push(...inherited.map((segment) => statements.readEntriesAt(segment, keptBelow)));
  if (viewFromSeq < atSeq) {
    wanted.push(...inherited.map((segment) => statements.readEntries(segment, { afterSeq: viewFromSeq })));
  }
  const rows = wanted.length === 0 ? [] : (await driver.read(wanted)).flat();
  const isInView = ({ seq, type }: DetachedEntry) =>
    seq <= viewFromSeq || seq > foldedThroughSeq || (type === "message" && seq > floorSeq);
  return rows.map(fromStoredEntry).filter(isInView);
}

function inOrder(entries: readonly DetachedEntry[]): readonly DetachedEntry[] {
  return entries.toSorted((left, right) => left.seq - right.seq);
}
