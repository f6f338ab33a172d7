/**
 * What the four provider wires have in common beyond reading values: whose id an item carries, fields that are
 * only there when they say something, and arguments that travel as text. It knows no wire by name.
 */

import type { Fields } from "../../check-value.ts";
import { joinExtras, toJsonValue } from "../decode-value.ts";
import type { JsonValue } from "../json.ts";
import type { Extras, ImagePart, ToolCallPart } from "../message.ts";

export function itemId(source: Fields, fallbackId: string): string {
  return typeof source.id === "string" && source.id !== "" ? source.id : fallbackId;
}

/** The keys that hold something. A `null` says nothing that we interpret, so it is carried with the unknown fields. */
export function filledKeys(source: Fields, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => source[key] !== null);
}

/** The extras as a field to spread, so that parts without any have no such key. */
export function extrasField(...all: readonly (Extras | undefined)[]): { readonly extras?: Extras } {
  const extras = joinExtras(...all);
  return extras === undefined ? {} : { extras };
}

/** A field to spread when there is something in it. */
export function field<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [name in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [name in Key]?: Value };
}

/** Arguments that are no JSON (models write such) are carried as the text they are. */
export function readArguments(text: string, path: string): Pick<ToolCallPart, "input" | "inputText"> {
  const input = parseJson(text, path);
  if (input === undefined) return { input: text, inputText: text };
  return JSON.stringify(input) === text ? { input } : { input, inputText: text };
}

export function writeArguments(call: ToolCallPart): string {
  return call.inputText ?? JSON.stringify(call.input);
}

/** The type that an image says it has, or the one that its first bytes show. */
export function imageMediaType(part: ImagePart): string {
  if (part.mediaType !== undefined) return part.mediaType;
  const base64 = part.source.type === "data" ? part.source.base64 : "";
  return IMAGE_STARTS.find(([start]) => base64.startsWith(start))?.[1] ?? "image/png";
}

const IMAGE_STARTS = [
  ["/9j/", "image/jpeg"],
  ["iVBORw0KGgo", "image/png"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
] as const;

function parseJson(text: string, path: string): JsonValue | undefined {
  try {
    return toJsonValue(JSON.parse(text), path);
  } catch {
    // Not JSON, or nested deeper than we store: the text itself is all there is to keep.
    return undefined;
  }
}
