/** Deletes a session for good. If forks read it, names them and deletes nothing, unless they are to be deleted too. */
import type { SessionId } from "../../core/log/entry.ts";
import type { TenantStore } from "../../ports/store.ts";
import { sessionNotFound } from "../context/errors.ts";
import { eraseWithheld, findReaders } from "../state/find-erasable.ts";
import { isStored } from "./hidden-session.ts";

export type SessionDeletion =
  | { readonly type: "deleted"; readonly sessionIds: readonly SessionId[] }
  /** Nothing was deleted: these forks read it, directly or through each other. */
  | { readonly type: "has-forks"; readonly forkIds: readonly SessionId[] };

export interface DeleteSessionOptions {
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
    // The store refuses if it was forked meanwhile.
    if ((await store.findSession(id)) !== undefined) continue;
    for (const each of reading) await eraseWithheld(store, each);
    return { type: "deleted", sessionIds: deleted };
  }
}

/** Returns all forks, parents before their forks. */
async function findForks(store: TenantStore, id: SessionId): Promise<readonly SessionId[]> {
  const found: SessionId[] = [];
  for (const each of await store.listForks(id)) found.push(each);
  for (const each of found) found.push(...(await store.listForks(each)));
  return found;
}
