/**
 * The AI SDK's `providerOptions` (and `providerMetadata` in UI messages) are our extras by provider name. What extras
 * cannot say (an empty object, a provider whose name looks like a wire) is noted under the field's own name.
 */
import type { JsonObject } from "../json.ts";
import type { Extras } from "../message.ts";
import {
  findWireExtras,
  isJsonObject,
  joinExtras,
  noteExtras,
  pathOf,
  requireObject,
  type SourceObject,
  toJsonObject,
} from "./decode-value.ts";
import type { FormatName } from "./format.ts";

const WIRE_PREFIX = "wire:";

export interface OptionsField {
  readonly key: string;
  readonly name: FormatName;
}

export function takeOptions(
  object: SourceObject,
  { key, name, path }: OptionsField & { readonly path: string },
): Extras | undefined {
  const value = object[key];
  if (value === undefined) return undefined;
  const providers = Object.entries(requireObject(value, pathOf(path, key)))
    .filter(([, options]) => options !== undefined)
    .map(([provider, options]) => [provider, toJsonObject(options, pathOf(pathOf(path, key), provider))] as const);
  const ordinary = providers.filter(([provider]) => !provider.startsWith(WIRE_PREFIX));
  const strange = providers.filter(([provider]) => provider.startsWith(WIRE_PREFIX));
  const note = providers.length === 0 || strange.length > 0 ? Object.fromEntries(strange) : undefined;
  return joinExtras(Object.fromEntries(ordinary), noteExtras(name, { [key]: note }));
}

/** The field with what stands under provider names, or nothing. */
export function giveOptions(extras: Extras | undefined, { key, name }: OptionsField): JsonObject {
  const note = findWireExtras(extras, name)?.[key];
  const strange = isJsonObject(note) ? note : undefined;
  const ordinary = Object.entries(extras ?? {}).filter(([provider]) => !provider.startsWith(WIRE_PREFIX));
  if (ordinary.length === 0 && strange === undefined) return {};
  return { [key]: { ...Object.fromEntries(ordinary), ...strange } };
}
