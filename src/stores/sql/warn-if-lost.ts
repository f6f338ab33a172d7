/** Notices entries whose rows are gone: deleted, moved to another session, or missing from a damaged index. */
import { waitForEventLoop } from "./driver.ts";
import type { SqlReader } from "./sql-context.ts";
import type { SessionRow } from "./stored-session.ts";
import { toStoredText } from "./stored-text.ts";

interface SeqRange {
  readonly afterSeq: number;
  readonly throughSeq: number;
}

export interface LostCheck extends SeqRange {
  /** Number of entries that were read. If it is lower, the entries of the range are counted. */
  readonly found: number;
}

/** Seqs that are counted in one step. Counting reads an index and no texts, and ends at the first loss. */
const SEQS_PER_COUNT = 10_000;

/** Emits a warning if a seq after `afterSeq` and up to `throughSeq`, both in the log, has no entry. */
export async function warnIfLost(
  session: SessionRow,
  { afterSeq, throughSeq, found }: LostCheck,
  sql: SqlReader,
): Promise<void> {
  // Files of lines report lost lines themselves.
  if (found >= throughSeq - afterSeq || sql.contents !== undefined) return;
  for (let from = afterSeq; from < throughSeq; from += SEQS_PER_COUNT) {
    if (from > afterSeq) await waitForEventLoop();
    const step = { afterSeq: from, throughSeq: Math.min(throughSeq, from + SEQS_PER_COUNT) };
    if ((await countSeqs(session, step, sql)) === step.throughSeq - step.afterSeq) continue;
    if (await isThere(session, sql)) sql.warnings.warn(describeLoss(session, step));
    return;
  }
}

function describeLoss({ header }: SessionRow, { afterSeq, throughSeq }: SeqRange): string {
  const place = afterSeq + 1 === throughSeq ? `at seq ${throughSeq}` : `between seq ${afterSeq + 1} and ${throughSeq}`;
  return (
    `Session ${JSON.stringify(header.id)}: an entry ${place} cannot be found. The table entries is damaged or was ` +
    "changed outside of Palimpsest. The rest of the session is shown. Restore a backup, and run palimpsest doctor: " +
    "it names the first lost entry."
  );
}

async function countSeqs(
  { segments }: SessionRow,
  range: SeqRange,
  { driver, statements }: SqlReader,
): Promise<number> {
  const results = await driver.read(segments.map((segment) => statements.countSeqs(segment, range)));
  return results.flat().reduce((sum, row) => sum + Number(row.count), 0);
}

/** Returns false for a session whose rows are being removed. */
async function isThere({ header, key, segments }: SessionRow, { driver, statements }: SqlReader): Promise<boolean> {
  const place = { tenant: segments[0]?.tenant ?? "", id: toStoredText(header.id) };
  const [[row] = []] = await driver.read([statements.findSession(place)]);
  return row?.session_key === key;
}
