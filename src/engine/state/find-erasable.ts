/** Finds the texts that a compaction erases under retention. Text that another session still needs is withheld. */
import type { Entry, SessionId, SummaryEntry, WithheldText } from "../../core/log/entry.ts";
import { findKeptSeqs, type Head } from "../../core/log/head.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import { foldChanges, type Proposal } from "../../core/plan/proposal.ts";
import type { StoredSession, TenantStore } from "../../ports/store.ts";
import type { Commit } from "./commit.ts";
import type { Conversation } from "./conversation.ts";
import type { SessionState } from "./session-state.ts";

/** The changes, whose summary records that text is erased or withheld, and the entries whose text is erased. */
export type ErasePlan = Pick<Commit, "changes" | "erase" | "tombstone">;

type Place = Pick<Entry, "id" | "seq">;

export async function findErasable(
  { id, context: { store } }: SessionState,
  { head, view }: Conversation,
  { changes, retention }: Pick<Proposal, "changes"> & Pick<PlanSettings, "retention">,
): Promise<ErasePlan> {
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
  const parted = separate(gone, await findReaders(store, id));
  const withheld = parted.withheld && { ...parted.withheld, retention };
  const marked = changes.map((change) => (change.type === "summary" ? { ...change, erases: true, withheld } : change));
  return { changes: marked, ...createErasure(parted.free, retention) };
}

/** Erases text that a session has withheld and that no other session still needs. */
export async function eraseWithheld(store: TenantStore, id: SessionId): Promise<void> {
  const session = await store.findSession(id);
  const newest = session && (await findNewest(store, id, session.head));
  if (session === undefined || newest?.withheld === undefined) return;
  const kept = (await readWithheld(store, id, newest)).filter(isUnseenIn(session.head));
  if (kept.length === 0) return;
  const { free } = separate(kept, await findReaders(store, id));
  if (free.length > 0) await store.append(id, { entries: [], ...createErasure(free, newest.withheld.retention) });
}

function createErasure(free: readonly Place[], retention: WithheldText["retention"]): Omit<ErasePlan, "changes"> {
  const ids = free.map(({ id }) => id);
  return retention === "tombstone" ? { tombstone: ids } : { erase: ids };
}

/** Whether a head neither shows an entry nor has it as its summary. */
function isUnseenIn(head: Head): (entry: Place) => boolean {
  const shown = new Set(findKeptSeqs(head));
  return ({ id, seq }) => !shown.has(seq) && id !== head.summary?.id;
}

function separate(gone: readonly Place[], readers: readonly ReadingSession[]) {
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

/** Reads the withheld entries that still have their text. An erased summary is empty. */
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

export interface ReadingSession {
  readonly id: SessionId;
  needs(entry: Pick<Entry, "id" | "seq">): boolean;
}

export async function findReaders(store: TenantStore, id: SessionId): Promise<readonly ReadingSession[]> {
  const reaches = await findReaches(store, id);
  const others = [...reaches].filter(([each]) => each !== id);
  return Promise.all(
    others.map(async ([each, { session, throughSeq }]) => {
      const keeps = await findKept(store, session);
      return { id: each, needs: (entry) => entry.seq <= throughSeq && keeps(entry) };
    }),
  );
}

interface Reach {
  readonly session: StoredSession;
  readonly throughSeq: number;
}

/** Walks the whole family: up to the root, then down through all forks. */
async function findReaches(store: TenantStore, id: SessionId): Promise<ReadonlyMap<SessionId, Reach>> {
  const reaches = new Map<SessionId, Reach>();
  let throughSeq = Number.POSITIVE_INFINITY;
  for (let above: SessionId | undefined = id; above !== undefined; ) {
    const session: StoredSession | undefined = await store.findSession(above);
    if (session === undefined) break;
    reaches.set(above, { session, throughSeq });
    throughSeq = Math.min(throughSeq, session.header.fork?.atSeq ?? 0);
    above = session.header.fork?.parentId;
  }
  // The map grows during the loop, so that forks of forks are found too.
  for (const [each, reach] of reaches) {
    for (const forkId of await store.listForks(each)) {
      const session = reaches.has(forkId) ? undefined : await store.findSession(forkId);
      const atSeq = session?.header.fork?.atSeq ?? 0;
      if (session !== undefined) reaches.set(forkId, { session, throughSeq: Math.min(reach.throughSeq, atSeq) });
    }
  }
  return reaches;
}

/** Returns a check for the entries that a session needs: all but those that its summary covers for good. */
async function findKept(store: TenantStore, { header, head }: StoredSession): Promise<ReadingSession["needs"]> {
  const newest = head.summary && (await store.findEntry(header.id, head.summary.id));
  if (newest?.type !== "summary" || newest.erases !== true) return () => true;
  const shown = new Set(findKeptSeqs(head));
  return ({ id, seq }) => id === newest.id || seq > newest.record.coverage.lastSeq || shown.has(seq);
}
