/** One try to have a summary written, and what came of it. Every call is somewhere in these, so that a bill adds up. */
import type { Usage } from "../../core/log/entry.ts";
import type { SummaryRule } from "../../core/summary/answers/accept-summary.ts";
import { sayWithoutSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import type { SummaryOrigin } from "../../ports/summarizer.ts";

export interface SummaryAttempt {
  /** `accepted` is not yet written: a batch may still be stale. */
  readonly outcome: "accepted" | "reask" | "rejected" | "failed";
  /** The rule that refused it, or the kind of failure. */
  readonly rule?: SummaryRule | "transport" | "validation" | "refused" | "unavailable" | "aborted" | "late" | undefined;
  readonly reason: string;
  /** The beginning of an answer that was no use, sanitised. */
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

/** How work that came to nothing is told: somebody could not, or there was nothing to do. */
export function findEndOutcome(attempts: readonly SummaryAttempt[]): "failed" | "none" {
  return attempts.some(({ outcome }) => outcome !== "accepted") ? "failed" : "none";
}

export function sumCosts(attempts: readonly SummaryAttempt[]): number {
  return attempts.reduce((sum, { costUsd }) => sum + costUsd, 0);
}
