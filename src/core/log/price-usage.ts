/** What a call has cost, from what its provider reported. What nobody reported is unknown, not zero. */
import type { ModelInfo } from "../budget/model-info.ts";
import type { Usage } from "./entry.ts";

const MILLION = 1_000_000;

/** US dollars, or undefined where usage or prices are unknown. */
export function priceUsage(usage: Usage | undefined, { prices }: Pick<ModelInfo, "prices">): number | undefined {
  if (usage === undefined || prices === undefined) return undefined;
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const cached = cacheReadTokens + cacheWriteTokens;
  // A provider that reports more cached tokens than input has left them out of the input.
  const fresh = cached > inputTokens ? inputTokens : inputTokens - cached;
  const cachedCost = cacheReadTokens * prices.cacheRead + cacheWriteTokens * prices.cacheWrite;
  return (fresh * prices.input + cachedCost + outputTokens * prices.output) / MILLION;
}
