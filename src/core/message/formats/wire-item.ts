/** Helpers that the provider formats share: optional fields, extras, and arguments that travel as text. */
import { type Fields, isObject } from "../../check-value.ts";
import { joinExtras, toDataUrl, toJsonValue } from "../decode-value.ts";
import type { JsonValue } from "../json.ts";
import type { Extras, ImagePart, MediaSource, ToolCallPart } from "../message.ts";

export function itemId(source: Fields, fallbackId: string): string {
  return typeof source.id === "string" && source.id !== "" ? source.id : fallbackId;
}

export const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

/** Returns the extras as a field to spread, so that parts without any have no such key. */
export function extrasField(...all: readonly (Extras | undefined)[]): { readonly extras?: Extras } {
  const extras = joinExtras(...all);
  return extras === undefined ? {} : { extras };
}

export function optionalField<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [name in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [name in Key]?: Value };
}

/** Keeps arguments that are not JSON as text, because models do write such arguments. */
export function readArguments(text: string, path: string): Pick<ToolCallPart, "input" | "inputText"> {
  const input = parseJson(text, path);
  if (input === undefined) return { input: text, inputText: text };
  return JSON.stringify(input) === text ? { input } : { input, inputText: text };
}

export function writeArguments(call: ToolCallPart): string {
  return call.inputText ?? JSON.stringify(call.input);
}

/** Custom tools take plain text instead of JSON. */
export function writeCustomInput(call: ToolCallPart): string {
  return typeof call.input === "string" ? call.input : writeArguments(call);
}

export function imageUrl(image: ImagePart, source: Exclude<MediaSource, { type: "reference" }>): string {
  return source.type === "url" ? source.url : toDataUrl({ mediaType: imageMediaType(image), base64: source.base64 });
}

/** Returns the stated type of an image, or the one that its first bytes show. */
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
    // Not JSON, or nested too deeply to store: only the text is kept.
    return undefined;
  }
}

/** Returns the text of a part that has nothing else. */
export function findBareText(part: unknown): string | undefined {
  const isBare = isObject(part) && part.type === "text" && Object.keys(part).length === 2;
  return isBare && typeof part.text === "string" ? part.text : undefined;
}
