/**
 * Finds what is known of a model by any of its names. Core is given the catalogue, because it is large and loaded only
 * when somebody asks; what is not in it is either overridden by the caller or taken for small.
 */
import { candidateIds, canonicalModelId } from "./canonical-model-id.ts";
import type { CatalogueRow, ModelCatalogue } from "./model-catalogue.ts";
import { findFamily, type ModelFamily } from "./model-family.ts";
import type { CacheRules, ModelInfo, PriceCard } from "./model-info.ts";

export interface FindModelOptions {
  readonly catalogue: ModelCatalogue;
  /** What the caller knows better, by model id in any spelling. */
  readonly overrides?: Readonly<Record<string, Partial<ModelInfo>>> | undefined;
}

export function findModel(id: string, { catalogue, overrides = {} }: FindModelOptions): ModelInfo | undefined {
  const name = candidateIds(id).find((candidate) => Object.hasOwn(catalogue.models, candidate));
  const row = name === undefined ? undefined : catalogue.models[name];
  const override = findOverride(id, overrides);
  if (row === undefined && override === undefined) return undefined;
  const family = findFamily(name ?? canonicalModelId(id));
  const known = row === undefined ? unknownModel(id).info : describeModel(id, { row, family });
  return { ...known, ...override, id };
}

/** What is assumed of a model that nobody described or named, and a sentence that says so. */
export function unknownModel(id?: string): { readonly info: ModelInfo; readonly warning: string } {
  const family = findFamily(canonicalModelId(id ?? ""));
  const info: ModelInfo = {
    id: id ?? "unknown",
    ...family,
    windowTokens: UNKNOWN_WINDOW_TOKENS,
    maxOutputTokens: UNKNOWN_OUTPUT_TOKENS,
  };
  const reason = id === undefined ? "No model is named" : `The model "${id}" is not in the catalogue`;
  const warning = `${reason}, so a window of ${UNKNOWN_WINDOW_TOKENS} tokens is assumed. Name the window or the model.`;
  return { info, warning };
}

/**
 * The smallest window that chat models in use have. Assuming too little compacts early, which costs a summary; assuming
 * too much is refused by the provider, which costs the turn.
 */
const UNKNOWN_WINDOW_TOKENS = 8_192;
/** As much as `chooseReserve` ever holds back: the longest reply of an unknown model does not limit its reserve. */
const UNKNOWN_OUTPUT_TOKENS = 8_192;

function describeModel(
  id: string,
  { row, family }: { readonly row: CatalogueRow; readonly family: ModelFamily },
): ModelInfo {
  const [windowTokens, maxInputTokens, maxOutputTokens, input, output, cacheRead, cacheWrite] = row;
  const held = maxInputTokens < windowTokens ? { maxInputTokens } : {};
  const described: ModelInfo = { id, ...family, windowTokens, ...held, maxOutputTokens };
  if (input === undefined || output === undefined || input <= 0) return described;
  const prices: PriceCard = {
    input,
    output,
    cacheRead: cacheRead ?? input * family.cache.readRatio,
    cacheWrite: cacheWrite ?? input * family.cache.writeRatio,
  };
  return { ...described, prices, cache: priceCache(family.cache, prices) };
}

/** Prices say more exactly than the family's rule what reading and writing cost. */
function priceCache(cache: CacheRules, prices: PriceCard): CacheRules {
  return { ...cache, readRatio: prices.cacheRead / prices.input, writeRatio: prices.cacheWrite / prices.input };
}

function findOverride(id: string, overrides: Readonly<Record<string, Partial<ModelInfo>>>) {
  if (Object.hasOwn(overrides, id)) return overrides[id];
  const candidates = new Set(candidateIds(id));
  return Object.entries(overrides).find(([name]) => candidates.has(canonicalModelId(name)))?.[1];
}
