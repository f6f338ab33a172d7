/** Lists, describes and searches sessions. Sessions that are being imported are left out; abandoned imports are deleted. */
import { COUNT, type OptionRule } from "../../core/check-options.ts";
import { PalimpsestError, sessionNotFound } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import type {
  Lease,
  SearchHit,
  SearchQuery,
  SessionHeader,
  SessionSummary,
  StoredSession,
  TenantStore,
} from "../../ports/store.ts";
import { returnIfGone } from "../context/errors.ts";
import { isHidden } from "../context/hidden-title.ts";
import { eraseWithheld, findReaders } from "../state/find-erasable.ts";
import { LEASE_MS } from "../state/session-lease.ts";

/** One page of a list of sessions, and where the next one begins. */
export interface SessionPage {
  /** Default: fifty. */
  readonly limit?: number | undefined;
  readonly after?: Pick<SessionSummary, "id" | "updatedAt"> | undefined;
}

const PLACE: OptionRule = {
  allowed: "the last session of the previous page, with its id and updatedAt",
  holds: (value) => {
    if (typeof value !== "object" || value === null || !("id" in value) || !("updatedAt" in value)) return false;
    return typeof value.id === "string" && Number.isFinite(value.updatedAt);
  },
};

export const PAGE_RULES = { limit: COUNT, after: PLACE };

const PAGE = 50;

export async function listSessions(
  store: TenantStore,
  { limit = PAGE, after }: SessionPage,
): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  let place = after;
  while (found.length < limit) {
    const wanted = limit - found.length;
    const page = await store.listSessions({ limit: wanted, after: place });
    for (const summary of page) {
      if (isHidden(summary.title)) await removeHidden(store, summary.id);
      else found.push(summary);
    }
    place = page.at(-1);
    if (page.length < wanted) break;
  }
  return found;
}

export async function describeSession(store: TenantStore, id: string): Promise<SessionSummary | undefined> {
  const summary = await store.describeSession(id);
  return summary === undefined || isHidden(summary.title) ? undefined : summary;
}

export async function searchSessions(store: TenantStore, query: SearchQuery): Promise<readonly SearchHit[]> {
  for (let limit = query.limit; ; limit *= 2) {
    const hits = await store.search({ ...query, limit });
    const ids = [...new Set(hits.map(({ sessionId }) => sessionId))];
    const areVisible = await Promise.all(ids.map((id) => isVisibleSession(store, id)));
    const hidden = new Set(ids.filter((_, index) => areVisible[index] === false));
    for (const id of hidden) await removeHidden(store, id);
    const found = hits.filter(({ sessionId }) => !hidden.has(sessionId));
    // Hits in hidden sessions displaced others, so more are needed.
    if (hidden.size === 0 || found.length >= query.limit || hits.length < limit) return found.slice(0, query.limit);
  }
}

export const TITLE_RULE: OptionRule = {
  allowed: "a text that does not begin with NUL",
  holds: (value) => typeof value === "string" && !isHidden(value),
};

/** Returns false for a session that does not exist, or that an import has not completed. */
export async function isVisibleSession(store: TenantStore, id: SessionId): Promise<boolean> {
  return (await findVisible(store, id)) !== undefined;
}

export async function findVisible(store: TenantStore, id: SessionId): Promise<StoredSession | undefined> {
  const session = await store.findSession(id);
  return session === undefined || isHidden(session.header.title) ? undefined : session;
}

/** Creates a session, also in place of an abandoned import. Returns `hidden` while an import is running. */
export async function createVisibleSession(
  store: TenantStore,
  header: SessionHeader,
): Promise<"created" | "exists" | "hidden"> {
  const created = await store.createSession(header, EMPTY_HEAD);
  if (created === "created") return created;
  if (await isVisibleSession(store, header.id)) return "exists";
  if (!(await removeHidden(store, header.id))) return "hidden";
  return store.createSession(header, EMPTY_HEAD);
}

/**
 * The fence of a session's first lease. If this process gets it, the import has not taken its lease yet, so it is still
 * running.
 */
const FIRST_FENCE = 1;

/** Deletes the rest of an abandoned import; returns whether it is gone. Best effort: what stays is hidden. */
export async function removeHidden(store: TenantStore, id: SessionId): Promise<boolean> {
  try {
    const lease = await tryLease(store, id);
    if (lease === undefined) return false;
    const found = await store.findSession(id);
    if (found === undefined) return true;
    const isDead = isHidden(found.header.title) && lease.fence > FIRST_FENCE;
    if (isDead && (await store.deleteSession(id))) return true;
    await releaseLease(store, id, lease);
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error;
  }
  return false;
}

export async function tryLease(store: TenantStore, id: SessionId): Promise<Lease | undefined> {
  return store.lease(id, LEASE_MS).catch(returnIfGone(undefined));
}

/** Best effort: a lease that cannot be released expires. */
export async function releaseLease(store: TenantStore, id: SessionId, lease: Lease): Promise<void> {
  await store.release(id, lease).catch(() => undefined);
}

/** The result of deleting a session. */
export type SessionDeletion =
  | { readonly type: "deleted"; readonly sessionIds: readonly SessionId[] }
  /** Nothing was deleted: these forks read it, directly or through each other. */
  | { readonly type: "has-forks"; readonly forkIds: readonly SessionId[] };

/** Whether the forks of a session are deleted with it. */
export interface DeleteSessionOptions {
  readonly forks?: boolean | undefined;
}

const ATTEMPTS = 5;

export async function deleteSession(
  store: TenantStore,
  id: SessionId,
  { forks = false }: DeleteSessionOptions,
): Promise<SessionDeletion> {
  if (!(await isVisibleSession(store, id))) throw sessionNotFound(id);
  const deleted: SessionId[] = [];
  const reading = (await findReaders(store, id)).map((reader) => reader.id);
  for (let attempt = 1; ; attempt += 1) {
    const forkIds = await findForks(store, id);
    if (forkIds.length > 0 && (!forks || attempt > ATTEMPTS)) return { type: "has-forks", forkIds };
    for (const each of forkIds.toReversed()) if (await store.deleteSession(each)) deleted.push(each);
    // The store refuses if it was forked in the meantime. After a deletion, the id may belong to a new session.
    const isDeleted = await store.deleteSession(id);
    if (!isDeleted && (await store.findSession(id)) !== undefined) continue;
    if (isDeleted) deleted.push(id);
    for (const each of reading) await eraseWithheld(store, each).catch(returnIfGone(undefined));
    return { type: "deleted", sessionIds: deleted };
  }
}

/** Lists the forks of a session, directly or through each other. */
export async function findForks(store: TenantStore, id: SessionId): Promise<readonly SessionId[]> {
  const found: SessionId[] = [];
  for (const each of await store.listForks(id)) found.push(each);
  for (const each of found) found.push(...(await store.listForks(each)));
  return found;
}
