/** Writes the engine's status and budget under the names of the workspace document. */
import type { CompactionStatus, SessionBudget } from "../../engine/state/session-status.ts";

/** How near the next compaction is, with the field names of a document. */
export interface DocumentStatus {
  readonly enabled: boolean;
  readonly trigger_tokens: number;
  readonly current_tokens: number;
  readonly percent: number;
}

/**
 * Writes a compaction status under the names of the workspace document.
 *
 * @example
 * ```ts
 * const { trigger_tokens } = toDocumentStatus(await session.compactionStatus());
 * ```
 */
export function toDocumentStatus(status: CompactionStatus): DocumentStatus {
  const { enabled, triggerTokens, currentTokens, percent } = status;
  return { enabled, trigger_tokens: triggerTokens, current_tokens: currentTokens, percent };
}

/** The budget of a session, with the field names of a document. */
export interface DocumentBudget {
  readonly history_tokens: number;
  readonly max_history_tokens: number;
  readonly max_input_tokens: number;
  readonly remaining: number;
  readonly needs_summary: boolean;
}

/**
 * Writes a budget under the names of the workspace document.
 *
 * @example
 * ```ts
 * const { needs_summary } = toDocumentBudget(await session.budget());
 * ```
 */
export function toDocumentBudget(budget: SessionBudget): DocumentBudget {
  return {
    history_tokens: budget.historyTokens,
    max_history_tokens: budget.maxHistoryTokens,
    max_input_tokens: budget.maxInputTokens,
    remaining: budget.remainingTokens,
    needs_summary: budget.needsSummary,
  };
}
