/** Computes the tokens that a conversation may use: window − reserve − instructions − tools. */
import type { ModelInfo } from "./model-info.ts";

export interface BudgetParts {
  readonly windowTokens: number;
  /** The provider's input limit, if it has one besides the window. */
  readonly maxInputTokens?: number | undefined;
  readonly reserveTokens: number;
  readonly instructionsTokens: number;
  readonly toolsTokens: number;
}

export interface Budget extends BudgetParts {
  /** Tokens left for the conversation. Never negative: the floor reports what does not fit. */
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
  /** The conversation alone, without instructions and tools. */
  readonly conversationTokens: number;
  readonly shareOfBudget: number;
}

/** Returns how full a prompt is. Shares may exceed one; they are never NaN or infinite. */
export function computeMeter(budget: Budget, conversationTokens: number): Meter {
  const promptTokens = budget.instructionsTokens + budget.toolsTokens + conversationTokens;
  return {
    promptTokens,
    shareOfWindow: promptTokens / Math.max(1, budget.windowTokens),
    conversationTokens,
    shareOfBudget: conversationTokens / Math.max(1, budget.budgetTokens),
  };
}

/** Returns the largest prompt that the model's provider accepts. */
export function computeInputLimit({ windowTokens, maxInputTokens = windowTokens }: InputLimits): number {
  return Math.min(windowTokens, maxInputTokens);
}

type InputLimits = Pick<ModelInfo, "windowTokens" | "maxInputTokens">;

const HISTORY_SHARE = 16;

/** Returns a sixteenth of the input limit. The `workspace` preset reports it and does not enforce it. */
export function computeHistoryTokens(maxInputTokens: number): number {
  return Math.floor(maxInputTokens / HISTORY_SHARE);
}

const THRESHOLD_SHARE = 0.75;

/** Returns three quarters of a window's whole thousands, so that 8,000 and 8,192 both give 6,000. */
export function computeThreshold(windowTokens: number): number {
  const nominal = windowTokens < 1_000 ? windowTokens : Math.floor(windowTokens / 1_000) * 1_000;
  return Math.floor(nominal * THRESHOLD_SHARE);
}

/** Longer replies are rare. A caller that expects them sets `reserveTokens`. */
const MAX_RESERVE_TOKENS = 8_192;
const MAX_RESERVE_SHARE = 0.2;

/** Returns the tokens held back for a reply: at least what the provider does not accept as input. */
export function chooseReserve(limits: InputLimits & Pick<ModelInfo, "maxOutputTokens">): number {
  const share = Math.floor(limits.windowTokens * MAX_RESERVE_SHARE);
  const closedToInput = limits.windowTokens - computeInputLimit(limits);
  return Math.max(Math.min(limits.maxOutputTokens, MAX_RESERVE_TOKENS, share), closedToInput);
}
