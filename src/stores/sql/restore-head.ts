/** Computes a head again from the log if the stored head does not match its checksum, and replaces it. */
import { foldEntry } from "../../core/log/fold-entry.ts";
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import { compareHead } from "./checksums.ts";
import { createDamageError, type Row, readNumberColumn } from "./driver.ts";
import { readPages } from "./read-entries.ts";
import type { SqlReader } from "./sql-context.ts";
import type { SessionPlace } from "./sql-statements.ts";
import { fromSessionRow, type SessionRow, toStoredHead } from "./stored-session.ts";

interface FoldedLog {
  readonly head: Head;
  /** Seq of the first entry that is missing. */
  readonly gapSeq: number | undefined;
}

/** Folds the log page by page. A fork starts from its parent's state, with epochs of its own. */
export async function foldLog({ segments, header }: SessionRow, sql: SqlReader): Promise<FoldedLog> {
  const atSeq = segments.length === 1 ? 0 : (header.fork?.atSeq ?? 0);
  let [head, nextSeq, gapSeq]: [Head, number, number | undefined] = [EMPTY_HEAD, 1, undefined];
  let isOwn = atSeq === 0;
  for await (const page of readPages(segments, sql)) {
    for (const entry of page) {
      if (!isOwn && entry.seq > atSeq) [head, isOwn] = [startFork(head), true];
      head = foldEntry(head, entry);
      if (entry.seq !== nextSeq) gapSeq ??= nextSeq;
      nextSeq = entry.seq + 1;
    }
  }
  return { head: isOwn ? head : startFork(head), gapSeq };
}

function startFork(inherited: Head): Head {
  return { ...inherited, epoch: 0, undoable: [], redoable: [] };
}

interface HeadPlace {
  readonly place: SessionPlace;
  readonly session: Row;
  readonly sql: SqlReader;
}

/** Returns whether the head was damaged, so that it has to be read again. */
export async function restoreIfChanged(headRow: Row, { place, session: row, sql }: HeadPlace): Promise<boolean> {
  if (sql.contents !== undefined || compareHead(headRow) !== "changed") return false;
  const session = fromSessionRow(row, place.tenant);
  const found = `The head of session ${JSON.stringify(session.header.id)} does not match its checksum`;
  const { head, gapSeq } = await foldLog(session, sql);
  if (gapSeq !== undefined) throw createDamageError(`${found}, and entry ${gapSeq} of its log cannot be read`);
  if (head.epoch !== session.epoch)
    throw createDamageError(`${found}, and the newest changes are missing from its log`);
  const { driver, statements, warnings } = sql;
  await driver.batch([statements.restoreHead(place, toStoredHead(head), readNumberColumn(headRow, "checksum"))]);
  warnings.warn(`${found}: it was damaged or changed outside of Palimpsest, and is computed again from its log.`);
  return true;
}
