/**
 * Sessions that are being imported: their title says so until they are whole, and until then nobody is shown them, also
 * when whoever imported them has ended in the middle. Such a one is known by its lease, which nobody renews any more,
 * and whoever comes across it takes it away.
 */

import type { OptionRule } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import type { Lease, SessionHeader, TenantStore } from "../../ports/store.ts";
import { LEASE_MS } from "../state/session-lease.ts";

/** No title begins with this; what does is out of sight. */
const HIDDEN = "\u0000";

export const TITLE: OptionRule = {
  allowed: "a text that does not begin with NUL",
  holds: (value) => typeof value === "string" && !isHidden(value),
};

/** The title of a session while it is imported, each time another. */
export function importingTitle(nonce: string): string {
  return `${HIDDEN}importing ${nonce}`;
}

export function isHidden(title: string | undefined): boolean {
  return title?.startsWith(HIDDEN) === true;
}

/** Whether a session is there and whole. */
export async function isStored(store: TenantStore, id: SessionId): Promise<boolean> {
  const session = await store.findSession(id);
  return session !== undefined && !isHidden(session.header.title);
}

/** A new session, also in place of what an import left that died; `hidden` while one is at work. */
export async function createWhole(store: TenantStore, header: SessionHeader): Promise<"created" | "exists" | "hidden"> {
  const created = await store.createSession(header, EMPTY_HEAD);
  if (created === "created") return created;
  if (await isStored(store, header.id)) return "exists";
  if (!(await sweepHidden(store, header.id))) return "hidden";
  return store.createSession(header, EMPTY_HEAD);
}

/** An import takes its lease right after the session is there: before its first one it is thought to be alive. */
const FIRST_FENCE = 1;

/** Takes away what an import left that died; whether it is gone. Best effort: what stays is out of sight. */
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
  return store.lease(id, LEASE_MS).catch(unlessGone(undefined));
}

/** One that cannot be given back runs out. */
export async function releaseLease(
  store: TenantStore,
  { id, lease }: { readonly id: SessionId; readonly lease: Lease },
): Promise<void> {
  await store.release(id, lease).catch(() => undefined);
}

export function unlessGone<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof PalimpsestError && error.code === "session-not-found") return value;
    throw error;
  };
}
