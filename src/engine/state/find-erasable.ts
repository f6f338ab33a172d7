/**
 * What goes with a summary where the policy keeps nothing that one stands for: the text of every message that is no
 * longer shown, and the summary before it. What another session still needs is withheld, and the summary says so: it
 * goes with the next compaction of any session that reads it, or when the one that needed it is deleted.
 */
import type { Entry, EntryId, SessionId, SummaryEntry, WithheldText } from "../../core/log/entry.ts";
import { findKeptSeqs, type Head } from "../../core/log/head.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import { type Change, foldChanges, type Proposal } from "../../core/plan/proposal.ts";
import type { TenantStore } from "../../ports/store.ts";
import type { Conversation } from "./conversation.ts";
import { findReaders, type Reader } from "./find-readers.ts";
import type { SessionState } from "./session-state.ts";

export interface Erasing {
  /** As they came, and the summary says what becomes of what it stands for. */
  readonly changes: readonly Change[];
  readonly erase?: readonly EntryId[] | undefined;
  readonly tombstone?: readonly EntryId[] | undefined;
}

type Place = Pick<Entry, "id" | "seq">;

export async function findErasable(
  { id, context: { store } }: SessionState,
  { head, view }: Conversation,
  { changes, retention }: Pick<Proposal, "changes"> & Pick<PlanSettings, "retention">,
): Promise<Erasing> {
  const record = changes.find((change) => change.type === "summary")?.record;
  if (retention === "keep" || record === undefined) return { changes };
  const after = foldChanges(head, changes);
  const before = await findNewest(store, id, head);
  const leaving: readonly Place[] = [
    ...[...view.kept, ...view.messages]
      .filter(({ seq }) => seq <= record.coverage.lastSeq)
      .map(({ seq, message }) => ({ seq, id: message.id })),
    ...(before === undefined ? [] : [before, ...(await readWithheld(store, id, before))]),
  ];
  const gone = leaving.filter(isUnseenIn(after));
  if (gone.length === 0) return { changes };
  const parted = part(gone, await findReaders(store, id));
  const withheld = parted.withheld && { ...parted.withheld, retention };
  const marked = changes.map((change) => (change.type === "summary" ? { ...change, erases: true, withheld } : change));
  return { changes: marked, ...erasureOf(parted.free, retention) };
}

/** Removes what a session had withheld for others and nobody needs any more. */
export async function eraseWithheld(store: TenantStore, id: SessionId): Promise<void> {
  const session = await store.findSession(id);
  const newest = session && (await findNewest(store, id, session.head));
  if (session === undefined || newest?.withheld === undefined) return;
  const kept = (await readWithheld(store, id, newest)).filter(isUnseenIn(session.head));
  if (kept.length === 0) return;
  const { free } = part(kept, await findReaders(store, id));
  if (free.length > 0) await store.append(id, { entries: [], ...erasureOf(free, newest.withheld.retention) });
}

function erasureOf(free: readonly Place[], retention: WithheldText["retention"]): Omit<Erasing, "changes"> {
  const ids = free.map(({ id }) => id);
  return retention === "tombstone" ? { tombstone: ids } : { erase: ids };
}

/** Neither shown by a head nor its summary. */
function isUnseenIn(head: Head): (entry: Place) => boolean {
  const shown = new Set(findKeptSeqs(head));
  return ({ id, seq }) => !shown.has(seq) && id !== head.summary?.id;
}

/** What may go, and between which places something may not yet. */
function part(gone: readonly Place[], readers: readonly Reader[]) {
  const isNeeded = (entry: Place) => readers.some((reader) => reader.needs(entry));
  const seqs = gone.filter(isNeeded).map(({ seq }) => seq);
  const firstSeq = seqs.reduce((least, seq) => Math.min(least, seq), Number.POSITIVE_INFINITY);
  const lastSeq = seqs.reduce((greatest, seq) => Math.max(greatest, seq), 0);
  const withheld = seqs.length === 0 ? undefined : { firstSeq, lastSeq };
  return { free: gone.filter((entry) => !isNeeded(entry)), withheld };
}

async function findNewest(store: TenantStore, id: SessionId, { summary }: Head): Promise<SummaryEntry | undefined> {
  const entry = summary && (await store.findEntry(id, summary.id));
  return entry?.type === "summary" ? entry : undefined;
}

/** What is still there of it. A summary whose text is gone is empty. */
async function readWithheld(
  store: TenantStore,
  id: SessionId,
  { withheld, record }: SummaryEntry,
): Promise<readonly Place[]> {
  if (withheld === undefined) return [];
  const { firstSeq, lastSeq } = withheld;
  const range = { afterSeq: firstSeq - 1, throughSeq: lastSeq, types: ["message", "summary"] } as const;
  const isThere = (entry: Entry) =>
    entry.type === "message"
      ? entry.erased !== true && entry.seq <= record.coverage.lastSeq
      : entry.type === "summary" && entry.record.text !== "";
  return (await store.readEntries(id, range)).filter(isThere);
}
