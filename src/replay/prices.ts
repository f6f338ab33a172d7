/** What a request, a reply or a summary costs with the price list and the cache of a model. */
import type { CacheRules, PriceCard } from "../core/budget/model-info.ts";
import type { Usage } from "../core/log/entry.ts";
import type { CacheOutcome } from "./prompt-cache.ts";
import type { PaidSummary } from "./shared-summarizer.ts";

export interface PriceTag {
  readonly model: string;
  readonly prices: PriceCard;
  readonly cache: CacheRules;
}

const MILLION = 1_000_000;
const LONG_TTL_MS = 60 * 60_000;
const LONG_WRITE_RATIO = 2;

/** For recordings that kept their prompts in Claude's cache for an hour. */
export function withLongCache({ model, prices, cache }: PriceTag): PriceTag {
  return {
    model,
    prices: { ...prices, cacheWrite: prices.input * LONG_WRITE_RATIO },
    cache: { ...cache, ttlMs: LONG_TTL_MS, writeRatio: LONG_WRITE_RATIO },
  };
}

/** Returns the cost of the input only. */
export function costOfInput({ plainTokens, readTokens, writeTokens }: CacheOutcome, { prices }: PriceTag): number {
  return (plainTokens * prices.input + readTokens * prices.cacheRead + writeTokens * prices.cacheWrite) / MILLION;
}

export function costOfOutput(tokens: number, { prices }: PriceTag): number {
  return (tokens * prices.output) / MILLION;
}

export function costOfSummary(summaries: readonly PaidSummary[], { prices }: PriceTag): number {
  return summaries.reduce(
    (sum, { inputTokens, cachedTokens, outputTokens }) =>
      sum + (inputTokens * prices.input + cachedTokens * prices.cacheRead + outputTokens * prices.output) / MILLION,
    0,
  );
}

/** Prices what a provider reported. */
export function costOfUsage(usage: Usage, price: PriceTag): { readonly inputUsd: number; readonly outputUsd: number } {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const plainTokens = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const outcome = { plainTokens, readTokens: cacheReadTokens, writeTokens: cacheWriteTokens };
  return { inputUsd: costOfInput(outcome, price), outputUsd: costOfOutput(outputTokens, price) };
}
