/** Reads the messages of a period from a log. Expects times that grow with the log, and searches by halving. */
import type { MessageEntry, SessionId } from "../../core/log/entry.ts";
import type { AskedPeriod } from "../../core/recall/asked-period.ts";
import type { TenantStore } from "../../ports/store.ts";

interface SearchedLog {
  readonly store: TenantStore;
  readonly sessionId: SessionId;
}

interface SeqRange {
  readonly afterSeq: number;
  readonly throughSeq: number;
}

/** Messages of a period that are read. Of a longer one, the first. */
const MAX_MESSAGES = 200;

/** Messages without a time have that of their entry. */
export async function findPeriodMessages(
  place: SearchedLog,
  { fromAt, untilAt }: AskedPeriod,
  range: SeqRange,
): Promise<readonly MessageEntry[]> {
  let [before, through] = [range.afterSeq, range.throughSeq];
  while (before < through) {
    const middle = Math.floor((before + through) / 2);
    const [next] = await readMessages(place, { afterSeq: middle, throughSeq: range.throughSeq }, 1);
    if (next !== undefined && timeOf(next) < fromAt) before = next.seq;
    else through = middle;
  }
  const read = await readMessages(place, { afterSeq: before, throughSeq: range.throughSeq }, MAX_MESSAGES);
  return read
    .filter((entry) => entry.erased !== true && timeOf(entry) >= fromAt && timeOf(entry) < untilAt)
    .map((entry) => ({ ...entry, message: { ...entry.message, saidAt: timeOf(entry) } }));
}

function timeOf({ at, message }: MessageEntry): number {
  return message.saidAt ?? at;
}

async function readMessages(
  { store, sessionId }: SearchedLog,
  range: SeqRange,
  limit: number,
): Promise<readonly MessageEntry[]> {
  const entries = await store.readEntries(sessionId, { ...range, types: ["message"], limit });
  return entries.filter((entry): entry is MessageEntry => entry.type === "message");
}
