/** One attempt to have a summary written, with its outcome and cost. Every call is in an attempt, so that costs add up. */
import type { Usage } from "../../core/log/entry.ts";
import type { SummaryRule } from "../../core/summary/answers/accept-summary.ts";
import { sayWithoutSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import type { SummaryOrigin } from "../../ports/summarizer.ts";

export interface SummaryAttempt {
  /** `accepted` does not mean written: the batch may still be stale. */
  readonly outcome: "accepted" | "reask" | "rejected" | "failed";
  /** The rule that rejected it, or the kind of failure. */
  readonly rule?: SummaryRule | "transport" | "validation" | "refused" | "unavailable" | "aborted" | "late" | undefined;
  readonly reason: string;
  /** Start of an unusable answer, sanitised. */
  readonly rawStart?: string | undefined;
  readonly strategy: string;
  readonly model: string | undefined;
  readonly calls: number;
  readonly usage: Usage | undefined;
  readonly costUsd: number;
  readonly cutResults: number;
  readonly durationMs: number;
}

export function createAttempt(
  origin: SummaryOrigin,
  rest: Pick<SummaryAttempt, "outcome" | "rule" | "reason" | "rawStart" | "durationMs">,
): SummaryAttempt {
  const { strategy, model, calls, usage, costUsd = 0, cuts } = origin;
  const reason = sayWithoutSecrets(rest.reason);
  const rawStart = rest.rawStart === undefined ? undefined : sayWithoutSecrets(rest.rawStart);
  return { ...rest, reason, rawStart, strategy, model, calls, usage, costUsd, cutResults: cuts.length };
}

/** Returns `failed` if an attempt failed, `none` if there was nothing to do. */
export function findEndOutcome(attempts: readonly SummaryAttempt[]): "failed" | "none" {
  return attempts.some(({ outcome }) => outcome !== "accepted") ? "failed" : "none";
}

export function sumCosts(attempts: readonly SummaryAttempt[]): number {
  return attempts.reduce((sum, { costUsd }) => sum + costUsd, 0);
}
