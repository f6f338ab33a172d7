/**
 * Removes a session for good. Forks read what they inherit from it, so they are named and nothing is done, unless they
 * are to go too; then the newest go first, and a failure in between leaves whole sessions. What others should have
 * erased long ago and kept for those that are gone now goes with them.
 */
import type { SessionId } from "../../core/log/entry.ts";
import type { TenantStore } from "../../ports/store.ts";
import { sessionNotFound } from "../context/errors.ts";
import { eraseWithheld, findReaders } from "../state/find-erasable.ts";
import { isStored } from "./hidden-session.ts";

export type SessionDeletion =
  /** What is gone, in the order in which it went. */
  | { readonly type: "deleted"; readonly sessionIds: readonly SessionId[] }
  /** Nothing was done: these read it, directly or through each other. */
  | { readonly type: "has-forks"; readonly forkIds: readonly SessionId[] };

export interface DeleteSessionOptions {
  /** Every session that was forked from it goes too. */
  readonly forks?: boolean | undefined;
}

const ATTEMPTS = 5;

export async function deleteSession(
  store: TenantStore,
  id: SessionId,
  { forks = false }: DeleteSessionOptions,
): Promise<SessionDeletion> {
  if (!(await isStored(store, id))) throw sessionNotFound(id);
  const deleted: SessionId[] = [];
  const reading = (await findReaders(store, id)).map((reader) => reader.id);
  for (let attempt = 1; ; attempt += 1) {
    const forkIds = await findForks(store, id);
    if (forkIds.length > 0 && (!forks || attempt > ATTEMPTS)) return { type: "has-forks", forkIds };
    for (const each of [...forkIds.toReversed(), id]) if (await store.deleteSession(each)) deleted.push(each);
    // Refused where somebody has forked it meanwhile.
    if ((await store.findSession(id)) !== undefined) continue;
    for (const each of reading) await eraseWithheld(store, each);
    return { type: "deleted", sessionIds: deleted };
  }
}

/** Parents before their forks. */
async function findForks(store: TenantStore, id: SessionId): Promise<readonly SessionId[]> {
  const found: SessionId[] = [];
  for (const each of await store.listForks(id)) found.push(each);
  for (const each of found) found.push(...(await store.listForks(each)));
  return found;
}
