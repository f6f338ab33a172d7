/**
 * Tries a call again when the transport failed, and only then: an answer that is no use, a refusal or an overflow would
 * be the same a second time. Time is the caller's, so that a test needs none.
 */
import type { Clock } from "../ports/clock.ts";
import type { ModelOutcome } from "../ports/model.ts";

export interface RetryOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Resolves after the time or as soon as the signal is aborted; never rejects. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Further attempts after the first. */
  readonly retries?: number | undefined;
  /** The first pause; each further one is twice as long. */
  readonly backoffMs?: number | undefined;
  /** A provider that asks for a longer pause than this is not asked again. */
  readonly maxWaitMs?: number | undefined;
}

export interface RetriedCall {
  /** What the last attempt came to. */
  readonly outcome: ModelOutcome;
  readonly attempts: number;
  /** Pauses included. For people: a clock that is set back makes it zero, never less. */
  readonly elapsedMs: number;
}

const RETRIES = 1;
const BACKOFF_MS = 250;
/** As long as a person would watch a spinner, and far less than a job's lease. */
const MAX_WAIT_MS = 10_000;

/** `attempt` is counted from zero. Never rejects as long as the call never does. */
export async function callWithRetry(
  call: (attempt: number) => Promise<ModelOutcome>,
  { signal, clock, sleep, retries = RETRIES, backoffMs = BACKOFF_MS, maxWaitMs = MAX_WAIT_MS }: RetryOptions,
): Promise<RetriedCall> {
  const startedAt = clock.now();
  for (let attempt = 0; ; attempt++) {
    const outcome = await call(attempt);
    const waitMs = attempt < retries ? findWait(outcome, backoffMs * 2 ** attempt) : undefined;
    const goesOn = waitMs !== undefined && waitMs <= maxWaitMs && !signal.aborted;
    if (goesOn) await sleep(waitMs, signal);
    if (!goesOn || signal.aborted) {
      return { outcome, attempts: attempt + 1, elapsedMs: Math.max(0, clock.now() - startedAt) };
    }
  }
}

/** How long to wait before asking again, or undefined where asking again is no use. */
function findWait(outcome: ModelOutcome, backoffMs: number): number | undefined {
  if (outcome.type !== "failed" || !outcome.retryable) return undefined;
  return Math.max(backoffMs, outcome.retryAfterMs ?? 0);
}
