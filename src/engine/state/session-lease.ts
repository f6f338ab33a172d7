/**
 * Holds the session's lease while work is under way, so that one compaction is made wherever a trigger is seen. The
 * lease is renewed while the work lasts; when it is lost the work is told to stop, and its fence makes a late result
 * stale.
 */
import type { SessionState } from "./session-state.ts";

export interface HeldLease {
  readonly fence: number | undefined;
  /** Aborted when the lease is lost or the work is given up. */
  readonly signal: AbortSignal;
}

export type LeaseOutcome<Result> = { readonly type: "done"; readonly result: Result } | { readonly type: "busy" };

/** Long enough for a pause of the process, short enough that a dead one is soon forgotten. */
export const LEASE_MS = 30_000;
const RENEWALS = 3;

export interface ReleasableLease extends HeldLease {
  /** Repeating it does nothing. */
  release(): Promise<void>;
}

export async function withLease<Result>(
  state: SessionState,
  work: (hold: HeldLease) => Promise<Result>,
  signal?: AbortSignal,
): Promise<LeaseOutcome<Result>> {
  const holding = await acquireLease(state, signal);
  if (holding === undefined) return { type: "busy" };
  try {
    return { type: "done", result: await work(holding) };
  } finally {
    await holding.release();
  }
}

/** For whoever gives it back later; undefined while somebody else has it. */
export async function acquireLease(state: SessionState, signal?: AbortSignal): Promise<ReleasableLease | undefined> {
  const { id, context, preparation } = state;
  const { store } = context;
  // What waits to be written here may still be, but it keeps nobody in this process from going on.
  await preparation.releaseLease();
  const lease = await store.lease(id, LEASE_MS);
  if (lease === undefined) return undefined;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    store.renew(id, lease, LEASE_MS).then(
      (isOurs) => isOurs || lost.abort(),
      // Whether it is still ours will be seen when the result is written.
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

/** For work that asks nobody: the epoch alone keeps it from being done twice. */
export const NO_LEASE: HeldLease = { fence: undefined, signal: new AbortController().signal };
