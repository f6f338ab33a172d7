/** Hides sessions that are being imported by a special title. The next call that finds a dead import deletes it. */
import type { OptionRule } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import type { Lease, SessionHeader, TenantStore } from "../../ports/store.ts";
import { LEASE_MS } from "../state/session-lease.ts";

/** Marks a hidden session. No other title starts with it. */
const HIDDEN = "\u0000";

export const TITLE: OptionRule = {
  allowed: "a text that does not begin with NUL",
  holds: (value) => typeof value === "string" && !isHidden(value),
};

export function createImportTitle(nonce: string): string {
  return `${HIDDEN}importing ${nonce}`;
}

export function isHidden(title: string | undefined): boolean {
  return title?.startsWith(HIDDEN) === true;
}

/** Whether a session exists and is complete. */
export async function isStored(store: TenantStore, id: SessionId): Promise<boolean> {
  const session = await store.findSession(id);
  return session !== undefined && !isHidden(session.header.title);
}

/** Creates a session, also in place of a dead import. Returns `hidden` while an import is running. */
export async function createVisible(
  store: TenantStore,
  header: SessionHeader,
): Promise<"created" | "exists" | "hidden"> {
  const created = await store.createSession(header, EMPTY_HEAD);
  if (created === "created") return created;
  if (await isStored(store, header.id)) return "exists";
  if (!(await sweepHidden(store, header.id))) return "hidden";
  return store.createSession(header, EMPTY_HEAD);
}

/** An import without a lease yet counts as alive for this long. */
const FIRST_FENCE = 1;

/** Deletes the rest of a dead import; returns whether it is gone. Best effort: what stays is hidden. */
export async function sweepHidden(store: TenantStore, id: SessionId): Promise<boolean> {
  try {
    const lease = await tryLease(store, id);
    if (lease === undefined) return false;
    const found = await store.findSession(id);
    if (found === undefined) return true;
    const isDead = isHidden(found.header.title) && lease.fence > FIRST_FENCE;
    if (isDead && (await store.deleteSession(id))) return true;
    await releaseLease(store, { id, lease });
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error;
  }
  return false;
}

export async function tryLease(store: TenantStore, id: SessionId): Promise<Lease | undefined> {
  return store.lease(id, LEASE_MS).catch(returnIfGone(undefined));
}

/** Best effort: a lease that cannot be released expires. */
export async function releaseLease(
  store: TenantStore,
  { id, lease }: { readonly id: SessionId; readonly lease: Lease },
): Promise<void> {
  await store.release(id, lease).catch(() => undefined);
}

export function returnIfGone<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof PalimpsestError && error.code === "session-not-found") return value;
    throw error;
  };
}
