/** Holds the session's lease during work. A lost lease aborts the signal, and its fence makes a late result stale. */
import type { SessionState } from "./session-state.ts";

export interface HeldLease {
  readonly fence: number | undefined;
  readonly signal: AbortSignal;
}

/** Lease time: long enough for a pause of the process, short enough to recover soon from a dead one. */
export const LEASE_MS = 30_000;
const RENEWALS = 3;

export interface ReleasableLease extends HeldLease {
  /** Releases the lease. Later calls do nothing. */
  release(): Promise<void>;
}

/** Does the work under the lease; returns `busy` while another process holds it. */
export async function withLease<Result>(
  state: SessionState,
  work: (lease: HeldLease) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result | { readonly type: "busy" }> {
  const lease = await acquireLease(state, signal);
  if (lease === undefined) return { type: "busy" };
  try {
    return await work(lease);
  } finally {
    await lease.release();
  }
}

/** Returns undefined while another process holds the lease. The caller has to release the lease. */
export async function acquireLease(state: SessionState, signal?: AbortSignal): Promise<ReleasableLease | undefined> {
  const { id, context, preparation } = state;
  const { store } = context;
  // A prepared compaction of this process gives up its lease, and can still be written.
  await preparation.releaseLease();
  const lease = await store.lease(id, LEASE_MS);
  if (lease === undefined) return undefined;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    store.renew(id, lease, LEASE_MS).then(
      (isOurs) => isOurs || lost.abort(),
      // When the result is written, the fence shows whether the lease is still held.
      () => undefined,
    );
  }, LEASE_MS / RENEWALS);
  renewal.unref();
  let released: Promise<void> | undefined;
  return {
    fence: lease.fence,
    signal: signal === undefined ? lost.signal : AbortSignal.any([lost.signal, signal]),
    release() {
      clearInterval(renewal);
      released ??= store.release(id, lease);
      return released;
    },
  };
}

/** For work that calls no model: the epoch alone keeps it from being done twice. */
export const NO_LEASE: HeldLease = { fence: undefined, signal: new AbortController().signal };
