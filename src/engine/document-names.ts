/**
 * What the engine says of itself in the words of the document that the workspace preset comes from. A translation only;
 * what happens while a compaction is made is told by `document-events.ts`.
 */
import type { CompactionStatus, SessionBudget } from "./state/session-status.ts";

export interface DocumentStatus {
  readonly enabled: boolean;
  readonly trigger_tokens: number;
  readonly current_tokens: number;
  /** Of the trigger. */
  readonly percent: number;
}

/** What `get_compaction_status` gives back. */
export function toDocumentStatus(status: CompactionStatus): DocumentStatus {
  const { enabled, triggerTokens, currentTokens, percent } = status;
  return { enabled, trigger_tokens: triggerTokens, current_tokens: currentTokens, percent };
}

export interface DocumentBudget {
  readonly history_tokens: number;
  readonly max_history_tokens: number;
  readonly max_input_tokens: number;
  readonly remaining: number;
  readonly needs_summary: boolean;
}

/** What `get_token_budget` gives back. */
export function toDocumentBudget(budget: SessionBudget): DocumentBudget {
  return {
    history_tokens: budget.historyTokens,
    max_history_tokens: budget.maxHistoryTokens,
    max_input_tokens: budget.maxInputTokens,
    remaining: budget.remainingTokens,
    needs_summary: budget.needsSummary,
  };
}
