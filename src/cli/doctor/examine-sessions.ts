/**
 * Whether what a store keeps beside each log is what the log says: places without gaps, and a head that is the fold of
 * its entries. A head that is not can be made again, because the log has all of it.
 */
import { isDeepStrictEqual } from "node:util";
import { foldEntry } from "../../core/log/fold-entry.ts";
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import type { StoredSession, TenantStore } from "../../ports/store.ts";
import { bad, type Finding, good, sayFailure, warning } from "./finding.ts";

export interface SessionsOptions {
  /** This one only; the newest without it. */
  readonly sessionId: string | undefined;
  readonly newest: number;
  readonly mend: boolean;
}

const PAGE = 1_000;
const LEASE_MS = 60_000;

export async function examineSessions(store: TenantStore, options: SessionsOptions): Promise<readonly Finding[]> {
  const { sessionId, newest } = options;
  const ids = sessionId === undefined ? (await store.listSessions({ limit: newest })).map(({ id }) => id) : [sessionId];
  const found = await Promise.all(ids.map((id) => examineOne(store, id, options)));
  const wrong = found.filter((finding) => finding !== undefined);
  const count = ids.length === 1 ? "1 session" : `${ids.length} sessions`;
  return wrong.length > 0 ? wrong : [good("sessions", `${count} looked at, each as its log says`)];
}

/** Undefined where all is well. */
async function examineOne(store: TenantStore, id: string, { mend }: SessionsOptions): Promise<Finding | undefined> {
  try {
    const stored = await store.findSession(id);
    if (stored === undefined) return bad("sessions", `There is no session ${id}`, "See palimpsest sessions.");
    const { folded, kept, gap } = await foldLog(store, stored);
    if (gap !== undefined) {
      const advice = "Keep a copy of the store; palimpsest export takes out what can be read.";
      return bad("sessions", `${id}: its log has no entry ${gap}`, advice);
    }
    // What a fork has from its parent is in no entry of its own.
    const isFork = (stored.header.fork ?? stored.head.importedFork) !== undefined;
    if (isFork || isDeepStrictEqual(plain(kept), plain(folded))) return undefined;
    if (mend) return await mendHead(store, id, stored);
    const advice = "End servers that use the store, then run palimpsest doctor --mend.";
    return bad("sessions", `${id}: its head is not what its log says`, advice);
  } catch (error) {
    return bad("sessions", `${id}: ${sayFailure(error)}`, "Keep a copy of the store, then do what the text says.");
  }
}

interface Folded {
  readonly folded: Head;
  /** The stored head with what came after it. */
  readonly kept: Head;
  /** The first place that holds nothing. */
  readonly gap: number | undefined;
}

/** A page at a time: a log may be longer than memory. */
async function foldLog(store: TenantStore, { header, head, lastSeq }: StoredSession): Promise<Folded> {
  let [folded, kept, afterSeq] = [EMPTY_HEAD, head, 0];
  while (afterSeq < lastSeq) {
    const entries = await store.readEntries(header.id, { afterSeq, limit: PAGE });
    for (const entry of entries) {
      if (entry.seq !== afterSeq + 1) return { folded, kept, gap: afterSeq + 1 };
      afterSeq = entry.seq;
      [folded, kept] = [foldEntry(folded, entry), foldEntry(kept, entry)];
    }
    if (entries.length === 0) return { folded, kept, gap: afterSeq + 1 };
  }
  return { folded, kept, gap: undefined };
}

/** With the lease, so that nobody compacts meanwhile; of the log as it is then. */
async function mendHead(store: TenantStore, id: string, before: StoredSession): Promise<Finding> {
  const lease = await store.lease(id, LEASE_MS);
  if (lease === undefined) {
    return bad("sessions", `${id}: somebody is compacting it just now`, "End servers that use the store first.");
  }
  try {
    const { folded } = await foldLog(store, (await store.findSession(id)) ?? before);
    await store.append(id, { entries: [], head: folded });
    return warning("sessions", `${id}: its head was made again from its log`, "Look at it with palimpsest inspect.");
  } finally {
    await store.release(id, lease);
  }
}

/** As JSON keeps it: a field that is undefined is none. */
function plain(head: Head): unknown {
  return JSON.parse(JSON.stringify(head));
}
