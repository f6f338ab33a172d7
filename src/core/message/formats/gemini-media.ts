/**
 * Media of a Gemini part, inline or by address, and the fields that every part has: a signature, stored under the AI
 * SDK's name, and unknown fields.
 */

import { type Fields, findString, isObject, pathOf, requireObject, requireString } from "../../check-value.ts";
import { findWireExtras, noteExtras, takeExtras } from "../decode-value.ts";
import type { JsonObject } from "../json.ts";
import type { Extras, FilePart, ImagePart, TextPart } from "../message.ts";
import { extrasField, field, filledKeys } from "./wire-item.ts";

const NAME = "gemini";
const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

export function readMedia(source: Fields, path: string): ImagePart | FilePart | undefined {
  if (isObject(source.inlineData)) return readInlineData(source, { inline: source.inlineData, path });
  if (isObject(source.fileData)) return readFileData(source, { file: source.fileData, path });
  return undefined;
}

function readInlineData(
  source: Fields,
  { inline, path }: { readonly inline: Fields; readonly path: string },
): ImagePart | FilePart {
  const inlinePath = pathOf(path, "inlineData");
  const mediaType = requireString(inline.mimeType, pathOf(inlinePath, "mimeType"));
  const extras = mediaExtras(source, { key: "inlineData", known: ["mimeType", "data"], path });
  const media = { type: "data", base64: requireString(inline.data, pathOf(inlinePath, "data")) } as const;
  return toMediaPart({ media, mediaType, extras, name: findName(inline, inlinePath) });
}

function readFileData(
  source: Fields,
  { file, path }: { readonly file: Fields; readonly path: string },
): ImagePart | FilePart {
  const filePath = pathOf(path, "fileData");
  const mediaType = findString(file.mimeType, pathOf(filePath, "mimeType"));
  const extras = mediaExtras(source, { key: "fileData", known: ["fileUri", ...filledKeys(file, ["mimeType"])], path });
  const media = { type: "url", url: requireString(file.fileUri, pathOf(filePath, "fileUri")) } as const;
  return toMediaPart({ media, mediaType, extras, name: findName(file, filePath) });
}

interface Medium {
  readonly media: ImagePart["source"];
  readonly mediaType: string | undefined;
  readonly extras: Extras | undefined;
  readonly name: string | undefined;
}

/** An image has no name in our format, so its name is carried with the noted fields; see `mediaExtras`. */
function toMediaPart({ media, mediaType = UNKNOWN_MEDIA_TYPE, extras, name }: Medium): ImagePart | FilePart {
  if (mediaType.startsWith("image/")) return { type: "image", source: media, mediaType, ...extrasField(extras) };
  return { type: "file", source: media, mediaType, ...field("name", name), ...extrasField(extras) };
}

function findName(medium: Fields, path: string): string | undefined {
  return findString(medium.displayName, pathOf(path, "displayName"));
}

function mediaExtras(
  source: Fields,
  { key, known, path }: { readonly key: string; readonly known: readonly string[]; readonly path: string },
): Extras | undefined {
  const inner = requireObject(source[key], pathOf(path, key));
  const named = typeof inner.displayName === "string" && !String(inner.mimeType).startsWith("image/");
  const fields = innerFields(inner, { keys: named ? [...known, "displayName"] : known, path: pathOf(path, key) });
  const noted = inner.mimeType === undefined ? { ...fields, mimeType: "absent" } : fields;
  return extrasField(partExtras(source, { keys: [key], path }).extras, noteExtras(NAME, { [key]: noted })).extras;
}

interface FieldsPlace {
  /** Fields that are interpreted elsewhere. */
  readonly keys: readonly string[];
  readonly path: string;
}

export function partExtras(source: Fields, { keys, path }: FieldsPlace): Pick<TextPart, "extras"> {
  const signature = typeof source.thoughtSignature === "string" ? source.thoughtSignature : undefined;
  const knownKeys = [...keys, ...(signature === undefined ? [] : ["thoughtSignature"])];
  const unknown = takeExtras(source, { knownKeys, name: NAME, path });
  return extrasField(unknown, signature === undefined ? undefined : { google: { thoughtSignature: signature } });
}

/** Returns the unknown fields of a nested object, or undefined if there are none. */
export function innerFields(inner: Fields, { keys, path }: FieldsPlace): JsonObject | undefined {
  return findWireExtras(takeExtras(inner, { knownKeys: keys, name: NAME, path }), NAME);
}
