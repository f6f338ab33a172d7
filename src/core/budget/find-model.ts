/** Finds a model by any of its names. The caller passes the catalogue, because it is loaded on demand. */
import { findFamily } from "./model-family.ts";
import type { CatalogueRow, ModelCatalogue, ModelFamily, ModelInfo, PriceCard } from "./model-info.ts";

export interface FindModelOptions {
  readonly catalogue: ModelCatalogue;
  /** The caller's own figures, by model id in any spelling. */
  readonly overrides?: Readonly<Record<string, Partial<ModelInfo>>> | undefined;
}

export function findModel(id: string, { catalogue, overrides = {} }: FindModelOptions): ModelInfo | undefined {
  const name = listCandidateIds(id).find((candidate) => Object.hasOwn(catalogue.models, candidate));
  const row = name === undefined ? undefined : catalogue.models[name];
  const override = findOverride(id, overrides);
  if (row === undefined && override === undefined) return undefined;
  const family = findFamily(name ?? normalizeModelId(id));
  const known = row === undefined ? assumeModel(id).info : describeModel(id, row, family);
  return { ...known, ...override, id };
}

/** Returns the assumptions for a model that is unknown or not named, and a warning that says so. */
export function assumeModel(id?: string): { readonly info: ModelInfo; readonly warning: string } {
  const family = findFamily(normalizeModelId(id ?? ""));
  const info: ModelInfo = {
    id: id ?? "unknown",
    ...family,
    windowTokens: UNKNOWN_WINDOW_TOKENS,
    maxOutputTokens: UNKNOWN_OUTPUT_TOKENS,
  };
  const reason = id === undefined ? "No model is named" : `The model "${id}" is not in the catalogue`;
  const warning = `${reason}, so a window of ${UNKNOWN_WINDOW_TOKENS} tokens is assumed. Set the window or the model.`;
  return { info, warning };
}

/** A small window. Too small a value causes an early summary; too large a value, a rejected prompt. */
const UNKNOWN_WINDOW_TOKENS = 8_192;
/** As much as `chooseReserve` reserves for a reply, so that an unknown output limit does not reduce the reserve. */
const UNKNOWN_OUTPUT_TOKENS = 8_192;

function describeModel(id: string, row: CatalogueRow, family: ModelFamily): ModelInfo {
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
  // Prices are more exact than the family's ratios.
  const ratios = { readRatio: prices.cacheRead / input, writeRatio: prices.cacheWrite / input };
  return { ...described, prices, cache: { ...family.cache, ...ratios } };
}

function findOverride(id: string, overrides: Readonly<Record<string, Partial<ModelInfo>>>) {
  if (Object.hasOwn(overrides, id)) return overrides[id];
  const candidates = new Set(listCandidateIds(id));
  return Object.entries(overrides).find(([name]) => candidates.has(normalizeModelId(name)))?.[1];
}

/** Normalizes an id: lower case, no path or host, dashes in Claude's version. Keeps paths of Workers AI: windows differ. */
export function normalizeModelId(id: string): string {
  const whole = id.trim().toLowerCase();
  if (whole.startsWith("@cf/")) return whole;
  const bare = whole.slice(whole.lastIndexOf("/") + 1).replace(HOST_PREFIX, "");
  return bare.startsWith("claude") ? bare.replaceAll(".", "-") : bare;
}

/** The region and the maker that Bedrock and others put before the model name. */
const HOST_PREFIX =
  /^(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic|amazon|openai|meta|mistral|deepseek|google|qwen|zai|moonshotai)\./;

/** Lists the canonical id, its forms without tag, version or date, and each of them with `-latest` and with `-0`. */
export function listCandidateIds(id: string): readonly string[] {
  const canonical = normalizeModelId(id);
  const untagged = canonical.replace(/\[[^\]]*\]$|:(?:free|thinking|extended|beta|online|nitro|floor)$/, "");
  const unversioned = untagged.replace(/-v\d+(?::\d+(?::\w+)?)?$/, "").replace(/@[\w.-]*$/, "");
  const undated = unversioned.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|latest)$/, "");
  const reordered = undated.replace(/^claude-(\d)(?:-(\d))?-(opus|sonnet|haiku)$/, joinReversed);
  const names = [canonical, untagged, unversioned, undated, reordered];
  return [...new Set([...names, ...names.flatMap((name) => [`${name}-latest`, `${name}-0`])])];
}

/** Claude's version numbers come before the name up to version 3.7, and after it since. */
function joinReversed(_whole: string, ...[major, minor, name]: readonly string[]): string {
  return ["claude", name, major, minor].filter((word) => word !== undefined).join("-");
}
