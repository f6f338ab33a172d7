/**
 * From a window to what a conversation may take of it: window − reserve − instructions − tools. Ratios are of this
 * budget; a meter shows both, because a prompt that fills its budget may still look small beside the window.
 */
import type { ModelInfo } from "./model-info.ts";

export interface BudgetParts {
  readonly windowTokens: number;
  /** What the provider takes as input, where that is less than the window without the reserve. */
  readonly maxInputTokens?: number | undefined;
  readonly reserveTokens: number;
  readonly instructionsTokens: number;
  readonly toolsTokens: number;
}

export interface Budget extends BudgetParts {
  /** What is left for the conversation. Never below zero: what does not fit is reported by the floor, not by a sign. */
  readonly budgetTokens: number;
}

export function computeBudget(parts: BudgetParts): Budget {
  const inputTokens = Math.min(parts.windowTokens - parts.reserveTokens, parts.maxInputTokens ?? parts.windowTokens);
  return { ...parts, budgetTokens: Math.max(0, inputTokens - parts.instructionsTokens - parts.toolsTokens) };
}

export interface Meter {
  /** Everything that is sent. */
  readonly promptTokens: number;
  readonly shareOfWindow: number;
  /** What of it is conversation: all but instructions and tools. */
  readonly conversationTokens: number;
  readonly shareOfBudget: number;
}

/** How full a prompt is, by both denominators. Shares may exceed one; they are never NaN or infinite. */
export function readMeter(budget: Budget, conversationTokens: number): Meter {
  const promptTokens = budget.instructionsTokens + budget.toolsTokens + conversationTokens;
  return {
    promptTokens,
    shareOfWindow: promptTokens / Math.max(1, budget.windowTokens),
    conversationTokens,
    shareOfBudget: conversationTokens / Math.max(1, budget.budgetTokens),
  };
}

/** The largest prompt that the model's provider takes. */
export function inputLimit({
  windowTokens,
  maxInputTokens,
}: Pick<ModelInfo, "windowTokens" | "maxInputTokens">): number {
  return Math.min(windowTokens, maxInputTokens ?? windowTokens);
}

const HISTORY_SHARE = 16;

/** A sixteenth of the input: a figure that the `workspace` preset reports and nothing decides by. */
export function maxHistoryTokens(maxInputTokens: number): number {
  return Math.floor(maxInputTokens / HISTORY_SHARE);
}

const THRESHOLD_SHARE = 0.75;

/**
 * The token threshold that goes with a window when none is set: three quarters of its whole thousands, so that both
 * spellings of 8k (8,000 and 8,192) give 6,000. Windows below a thousand have no whole thousands and give three quarters.
 */
export function thresholdForWindow(windowTokens: number): number {
  const nominal = windowTokens < 1_000 ? windowTokens : Math.floor(windowTokens / 1_000) * 1_000;
  return Math.floor(nominal * THRESHOLD_SHARE);
}

// Chooses how much of a window is held back for the reply when the caller does not say: the least of 8,192 tokens, a
// fifth of the window and the model's longest reply where that is known; at least what the provider does not take as
// input. Library, server and command line all use this one rule.
/** Longer replies are rare; a caller that wants them sets `reserveTokens`. */
const MOST_RESERVE_TOKENS = 8_192;
const MOST_RESERVE_SHARE = 0.2;

type ReserveLimits = Pick<ModelInfo, "windowTokens" | "maxInputTokens" | "maxOutputTokens">;

export function chooseReserve({ windowTokens, maxInputTokens, maxOutputTokens }: ReserveLimits): number {
  const share = Math.floor(windowTokens * MOST_RESERVE_SHARE);
  const closedToInput = windowTokens - Math.min(maxInputTokens ?? windowTokens, windowTokens);
  return Math.max(Math.min(maxOutputTokens, MOST_RESERVE_TOKENS, share), closedToInput);
}
