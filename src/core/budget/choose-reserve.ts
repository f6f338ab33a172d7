/**
 * Chooses how much of a window is held back for the reply when the caller does not say: the least of 8,192 tokens, a
 * fifth of the window and the model's longest reply where that is known; at least what the provider does not take as
 * input. Library, server and command line all use this one rule.
 */
import type { ModelInfo } from "./model-info.ts";

/** Longer replies are rare; a caller that wants them sets `reserveTokens`. */
const MOST_RESERVE_TOKENS = 8_192;
const MOST_RESERVE_SHARE = 0.2;

type ReserveLimits = Pick<ModelInfo, "windowTokens" | "maxInputTokens" | "maxOutputTokens">;

export function chooseReserve({ windowTokens, maxInputTokens, maxOutputTokens }: ReserveLimits): number {
  const share = Math.floor(windowTokens * MOST_RESERVE_SHARE);
  const closedToInput = windowTokens - Math.min(maxInputTokens ?? windowTokens, windowTokens);
  return Math.max(Math.min(maxOutputTokens, MOST_RESERVE_TOKENS, share), closedToInput);
}
