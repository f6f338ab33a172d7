/** Three price lists from the catalogue, and the cost of a request or a summary with each. */
import { findModel } from "../../src/core/budget/find-model.ts";
import type { CacheRules, PriceCard } from "../../src/core/budget/model-info.ts";
import { loadCatalogue } from "../../src/counters/create-catalogue.ts";
import type { CacheOutcome } from "./prompt-cache.ts";
import type { PaidSummary } from "./shared-summarizer.ts";

export interface PriceTag {
  readonly model: string;
  readonly prices: PriceCard;
  readonly cache: CacheRules;
}

const MODELS = ["claude-sonnet-4-5", "gpt-5.6-terra", "gemini-3.1-pro-preview"];
const MILLION = 1_000_000;

export async function loadPrices(models: readonly string[] = MODELS): Promise<readonly PriceTag[]> {
  const catalogue = await loadCatalogue();
  return models.map((model) => {
    const info = findModel(model, { catalogue });
    if (info?.prices === undefined) throw new Error(`The catalogue has no prices for ${model}.`);
    return { model, prices: info.prices, cache: info.cache };
  });
}

/** Returns the cost of the input only, because the reply costs the same under every policy. */
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
