/** Three price lists from the catalogue. */
import { findModel } from "../../src/core/budget/find-model.ts";
import { loadCatalogue } from "../../src/counters/create-catalogue.ts";
import type { PriceTag } from "../../src/replay/prices.ts";

const MODELS = ["claude-sonnet-4-5", "gpt-5.6-terra", "gemini-3.1-pro-preview"];

export async function loadPrices(models: readonly string[] = MODELS): Promise<readonly PriceTag[]> {
  const catalogue = await loadCatalogue();
  return models.map((model) => {
    const info = findModel(model, { catalogue });
    if (info?.prices === undefined) throw new Error(`The catalogue has no prices for ${model}.`);
    return { model, prices: info.prices, cache: info.cache };
  });
}
