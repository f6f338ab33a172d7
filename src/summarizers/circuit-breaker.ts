/**
 * Stops calls to a model that keeps failing. Closed: calls are allowed. Open: none are, for a while. Half-open: one call
 * probes, and its result decides. A state is a plain value; the caller keeps one for each model and passes the time.
 */

/** Limits of a breaker. */
export interface BreakerSettings {
  /** Number of failures that opens the breaker. */
  readonly failures: number;
  /** Time within which they must happen. */
  readonly windowMs: number;
  /** Time for which it stays open. A probe without a result blocks other calls no longer than this. */
  readonly openMs: number;
}

export type BreakerState =
  /** Times of the failures that still count, oldest first. */
  | { readonly type: "closed"; readonly failedAt: readonly number[] }
  | { readonly type: "open"; readonly since: number }
  | { readonly type: "half-open"; readonly probedAt: number };

export const BREAKER_SETTINGS: BreakerSettings = { failures: 5, windowMs: 120_000, openMs: 30_000 };

export const CLOSED_BREAKER: BreakerState = { type: "closed", failedAt: [] };

export interface BreakerInput {
  /** Epoch milliseconds. If the clock is set back, a wait is at most its full length again. */
  readonly now: number;
  readonly settings?: BreakerSettings | undefined;
}

export interface BreakerDecision {
  readonly allowed: boolean;
  /** The new state, which records an allowed probe. */
  readonly state: BreakerState;
  /** Time until a call is allowed, if this one is not. */
  readonly waitMs?: number | undefined;
}

export function admitCall(state: BreakerState, { now, settings = BREAKER_SETTINGS }: BreakerInput): BreakerDecision {
  if (state.type === "closed") return { allowed: true, state };
  const since = Math.min(now, state.type === "open" ? state.since : state.probedAt);
  const waitMs = since + settings.openMs - now;
  if (waitMs <= 0) return { allowed: true, state: { type: "half-open", probedAt: now } };
  const same: BreakerState = state.type === "open" ? { type: "open", since } : { type: "half-open", probedAt: since };
  return { allowed: false, state: same, waitMs };
}

/** `unknown`: the caller aborted the call, so its result does not count. */
export type CallResult = "success" | "failure" | "unknown";

export function recordResult(
  state: BreakerState,
  { now, result, settings = BREAKER_SETTINGS }: BreakerInput & { readonly result: CallResult },
): BreakerState {
  switch (state.type) {
    case "closed":
      return result === "failure" ? addFailure(state.failedAt, { now, settings }) : state;
    case "open":
      // Ignores the late result of a call from before the breaker opened.
      return state;
    case "half-open":
      if (result === "success") return CLOSED_BREAKER;
      // Without a result the next call may probe at once.
      return { type: "open", since: result === "failure" ? now : now - settings.openMs };
    default:
      return state satisfies never;
  }
}

function addFailure(
  failedAt: readonly number[],
  { now, settings }: { readonly now: number; readonly settings: BreakerSettings },
): BreakerState {
  const counted = [...failedAt, now].map((at) => Math.min(at, now)).filter((at) => now - at < settings.windowMs);
  return counted.length >= settings.failures ? { type: "open", since: now } : { type: "closed", failedAt: counted };
}
