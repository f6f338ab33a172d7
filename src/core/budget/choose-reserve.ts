/**
 * How much of a window is held back for the reply when nobody says. Enough for a long answer, never most of a small
 * window, and everything that the provider does not take as input anyway.
 */
import type { ModelInfo } from "./model-info.ts";

/** Longer replies are rare, and whoever wants them says so. */
const MOST_RESERVE_TOKENS = 8_192;
const MOST_RESERVE_SHARE = 0.2;

type ReserveLimits = Pick<ModelInfo, "windowTokens" | "maxInputTokens" | "maxOutputTokens">;

export function chooseReserve({ windowTokens, maxInputTokens, maxOutputTokens }: ReserveLimits): number {
  const share = Math.floor(windowTokens * MOST_RESERVE_SHARE);
  const closedToInput = windowTokens - Math.min(maxInputTokens ?? windowTokens, windowTokens);
  return Math.max(Math.min(maxOutputTokens, MOST_RESERVE_TOKENS, share), closedToInput);
}
