/** Retries a call only if the transport failed: a useless answer, a refusal or an overflow would repeat. */
import type { Clock } from "../ports/clock.ts";
import type { ModelOutcome } from "../ports/model.ts";

export interface RetryOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Resolves after the time or as soon as the signal is aborted; never rejects. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Maximum number of attempts after the first. */
  readonly retries?: number | undefined;
  /** The first pause; each further one is twice as long. */
  readonly backoffMs?: number | undefined;
  /** If a provider asks for a longer pause, the call is not retried. */
  readonly maxWaitMs?: number | undefined;
}

export interface RetriedCall {
  readonly outcome: ModelOutcome;
  readonly attempts: number;
  /** Duration with pauses. Never negative, even if the clock is set back. */
  readonly elapsedMs: number;
}

const RETRIES = 1;
const BACKOFF_MS = 250;
/** Short enough for a waiting person, and far below a job's lease. */
const MAX_WAIT_MS = 10_000;

/** `attempt` counts from 0. Never rejects if the call never does. */
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

/** Returns the pause before the retry, or undefined if a retry is useless. */
function findWait(outcome: ModelOutcome, backoffMs: number): number | undefined {
  if (outcome.type !== "failed" || !outcome.retryable) return undefined;
  return Math.max(backoffMs, outcome.retryAfterMs ?? 0);
}
