/** Claims a session for an import, by its lease and a reserved title. Nothing is deleted without the lease. */
import { randomUUID } from "node:crypto";
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import type { Lease, SessionHeader, TenantStore } from "../../ports/store.ts";
import type { EngineContext } from "../context/engine-context.ts";
import { returnIfGone } from "../context/errors.ts";
import { createImportTitle, isHidden } from "../context/hidden-title.ts";
import { releaseLease, tryLease } from "../session-list/list-sessions.ts";
import { LEASE_MS } from "../state/session-lease.ts";

const ATTEMPTS = 20;
const PAUSE_MS = 25;
const RENEWALS = 3;

export interface ImportClaim {
  readonly fence: number;
  /** Throws if another import has claimed the session. Call it before every write. */
  assertHeld(): Promise<void>;
  /** Sets the title: from now on the session is visible. */
  finish(title: string | undefined): Promise<void>;
  /** Deletes what was written, if the claim still holds. Never throws: what stays is hidden. */
  abandon(): Promise<void>;
}

type ClaimContext = Pick<EngineContext, "store" | "sleep">;

export async function claimImport(
  context: ClaimContext,
  { id, createdAt }: Pick<SessionHeader, "id" | "createdAt">,
): Promise<ImportClaim> {
  const { store } = context;
  const title = createImportTitle(randomUUID());
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const created = await store.createSession({ id, title, createdAt }, EMPTY_HEAD);
    if (created === "created") return holdClaim(store, await leaseOwn(context, { id, title }));
    await removeDead(store, id);
  }
  throw createImportingError(id);
}

/** Waits for the lease, which another process may hold for a moment to check whether this import is dead. */
async function leaseOwn(
  { store, sleep }: ClaimContext,
  { id, title }: Omit<ClaimedSession, "lease">,
): Promise<ClaimedSession> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const lease = await tryLease(store, id);
    const found = await store.findSession(id);
    if (found?.header.title !== title) {
      if (lease !== undefined) await releaseLease(store, id, lease);
      break;
    }
    if (lease !== undefined) return { id, title, lease };
    await sleep(PAUSE_MS);
  }
  throw createImportingError(id);
}

async function removeDead(store: TenantStore, id: SessionId): Promise<void> {
  const found = await store.findSession(id);
  if (found === undefined) return;
  if (!isHidden(found.header.title)) throw sessionExists(id);
  const lease = await tryLease(store, id);
  if (lease === undefined) throw createImportingError(id);
  // The import may have finished just before the lease became free.
  const now = await store.findSession(id);
  if (now === undefined || (isHidden(now.header.title) && (await store.deleteSession(id)))) return;
  await releaseLease(store, id, lease);
  throw sessionExists(id);
}

interface ClaimedSession {
  readonly id: SessionId;
  readonly title: string;
  readonly lease: Lease;
}

function holdClaim(store: TenantStore, { id, title, lease }: ClaimedSession): ImportClaim {
  const renew = () => store.renew(id, lease, LEASE_MS).catch(returnIfGone(false));
  // A slow source may take longer than a lease between two writes; the next write checks the claim.
  const renewal = setInterval(() => void renew().catch(() => false), LEASE_MS / RENEWALS);
  renewal.unref();
  const letGo = () => {
    clearInterval(renewal);
    return releaseLease(store, id, lease);
  };
  const isOurs = async () => (await renew()) && (await store.findSession(id))?.header.title === title;
  const assertHeld = async () => {
    if (!(await renew())) throw createImportConflict(id);
  };
  return {
    fence: lease.fence,
    assertHeld,
    async finish(given) {
      if (!(await isOurs()) || !(await store.renameSession(id, given))) throw createImportConflict(id);
      await letGo();
    },
    async abandon() {
      const isRemoved = async () => (await isOurs()) && (await store.deleteSession(id));
      await isRemoved().catch(() => false);
      await letGo();
    },
  };
}

export function createImportConflict(id: SessionId): PalimpsestError {
  const text = `import: another process wrote to the session ${JSON.stringify(id)} at the same time; import it again.`;
  return new PalimpsestError("store-conflict", text);
}

function sessionExists(id: SessionId): PalimpsestError {
  const text = `import: the session ${JSON.stringify(id)} already exists; give the import another id.`;
  return new PalimpsestError("session-exists", text);
}

function createImportingError(id: SessionId): PalimpsestError {
  const wait = `If that import has died, try again in ${LEASE_MS / 1_000} seconds.`;
  const text = `import: the session ${JSON.stringify(id)} is already being imported. ${wait}`;
  return new PalimpsestError("session-exists", text);
}
