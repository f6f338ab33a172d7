/** Limits the requests of each caller with a token bucket, so that short bursts pass. */
import { RefusedRequest } from "../http/answer-error.ts";

export interface RateRule {
  readonly perSecond: number;
  readonly burst: number;
}

/** Number of callers that are remembered. The one that was idle longest is forgotten, which gives it a full bucket. */
const MAX_CALLERS = 10_000;

export function createRateLimit(
  { perSecond, burst }: RateRule,
  now: () => number = () => performance.now(),
): (caller: string) => void {
  const buckets = new Map<string, { readonly left: number; readonly at: number }>();
  return (caller) => {
    const at = now();
    const known = buckets.get(caller);
    const left = known === undefined ? burst : Math.min(burst, known.left + ((at - known.at) / 1_000) * perSecond);
    buckets.delete(caller);
    buckets.set(caller, { left: Math.max(0, left - 1), at });
    const [oldest] = buckets.size > MAX_CALLERS ? buckets.keys() : [];
    if (oldest !== undefined) buckets.delete(oldest);
    if (left >= 1) return;
    const seconds = Math.max(1, Math.ceil((1 - left) / perSecond));
    throw new RefusedRequest("too-many-requests", `Too many requests. Try again in ${seconds} s.`, {
      headers: { "retry-after": String(seconds) },
    });
  };
}
