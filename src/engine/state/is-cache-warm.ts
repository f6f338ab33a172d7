import type { Head } from "../../core/log/head.ts";
import type { Limits } from "../context/prompt-size.ts";

export interface CacheFacts {
  readonly head: Pick<Head, "requests">;
  readonly limits: Limits;
  readonly now: number;
}

/** Whether the provider still has the last prompt of the session in its cache. */
export function isCacheWarm({ head, limits, now }: CacheFacts): boolean {
  const last = head.requests.at(-1);
  return last !== undefined && now - last.at <= limits.info.cache.ttlMs;
}
