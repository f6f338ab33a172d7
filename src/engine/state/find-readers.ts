/**
 * Who else reads a session's log: what it was forked from, and what was forked from either. Each of them reads the same
 * entries up to some place, and needs the text of those that it still shows or could show again.
 */
import type { Entry, SessionId } from "../../core/log/entry.ts";
import { findKeptSeqs } from "../../core/log/head.ts";
import type { StoredSession, TenantStore } from "../../ports/store.ts";

export interface Reader {
  readonly id: SessionId;
  /** Whether it reads this entry of the session in question, and needs what it says. */
  needs(entry: Pick<Entry, "id" | "seq">): boolean;
}

export async function findReaders(store: TenantStore, id: SessionId): Promise<readonly Reader[]> {
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
  /** The last place up to which it reads the same as the session in question. */
  readonly throughSeq: number;
}

/** All of a family: first up to what everything was forked from, then down from each of those. */
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
  // The map grows while it is walked through: forks of forks are found too.
  for (const [each, reach] of reaches) {
    for (const forkId of await store.listForks(each)) {
      const session = reaches.has(forkId) ? undefined : await store.findSession(forkId);
      const atSeq = session?.header.fork?.atSeq ?? 0;
      if (session !== undefined) reaches.set(forkId, { session, throughSeq: Math.min(reach.throughSeq, atSeq) });
    }
  }
  return reaches;
}

/** Everything, unless its summary stands for it and cannot be taken back. */
async function findKept(store: TenantStore, { header, head }: StoredSession): Promise<Reader["needs"]> {
  const newest = head.summary && (await store.findEntry(header.id, head.summary.id));
  if (newest?.type !== "summary" || newest.erases !== true) return () => true;
  const shown = new Set(findKeptSeqs(head));
  return ({ id, seq }) => id === newest.id || seq > newest.record.coverage.lastSeq || shown.has(seq);
}
