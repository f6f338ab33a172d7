/**
 * Decodes and encodes parts of an AI SDK UI message that are not tools or step borders: text, reasoning, files,
 * sources. Custom parts and reasoning files are carried in the spelling of model messages, because a model may need
 * them back; data parts and unknown kinds are carried unchanged.
 */

import { type Fields, findString, invalidMessage, pathOf, requireObject, requireString } from "../../check-value.ts";
import {
  findWireExtras,
  noteExtras,
  parseDataUrl,
  takeExtras,
  toDataUrl,
  toJsonObject,
  toJsonValue,
  withExtras,
} from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { FilePart, ImagePart, Part, ReasoningPart, SourcePart, TextPart } from "../message.ts";
import { giveOptions, isImageType, takeOptions } from "./ai-sdk-media.ts";
import { extrasField, field } from "./wire-item.ts";

const NAME = "ai-sdk-ui";
const OPTIONS = { key: "providerMetadata", name: NAME } as const;
const UNKNOWN_TYPE = "application/octet-stream";

const TEXT_KEYS = ["type", "text", "providerMetadata"];
const IMAGE_KEYS = ["type", "mediaType", "url", "providerReference", "providerMetadata"];
const FILE_KEYS = [...IMAGE_KEYS, "filename"];
const LINK_KEYS = ["type", "sourceId", "url", "title", "providerMetadata"];
const DOCUMENT_KEYS = ["type", "sourceId", "mediaType", "title", "filename", "providerMetadata"];

export function decodeUiPart(value: unknown, path: string): Part {
  const source = requireObject(value, path);
  switch (requireString(source.type, pathOf(path, "type"))) {
    case "text":
      return decodeText(source, { type: "text", path });
    case "reasoning":
      return decodeText(source, { type: "reasoning", path });
    case "file":
      return decodeFile(source, path);
    case "source-url":
      return decodeLink(source, path);
    case "source-document":
      return decodeDocument(source, path);
    case "custom":
      return carryForModel(source, path);
    case "reasoning-file":
      return carryReasoningFile(source, path);
    default:
      return carry(source, path);
  }
}

function decodeText(
  source: Fields,
  { type, path }: { type: "text" | "reasoning"; path: string },
): TextPart | ReasoningPart {
  const text = requireString(source.text, pathOf(path, "text"));
  return { type, text, ...takeAll(source, { knownKeys: TEXT_KEYS, path }) };
}

function decodeFile(source: Fields, path: string): ImagePart | FilePart {
  const mediaType = requireString(source.mediaType, pathOf(path, "mediaType"));
  const url = requireString(source.url, pathOf(path, "url"));
  const dataUrl = parseDataUrl(url);
  const references = source.providerReference;
  const reference = references === undefined ? undefined : readReference(references, pathOf(path, "providerReference"));
  const media =
    dataUrl === undefined ? { type: "url" as const, url } : { type: "data" as const, base64: dataUrl.base64 };
  const notes = {
    providerReference: reference,
    // The URL if the reference hides it, or the type of a data URL if it differs from the part's own.
    url: reference === undefined ? otherType(dataUrl?.mediaType, mediaType) : url,
  };
  const id = reference === undefined ? undefined : Object.values(reference).find((value) => typeof value === "string");
  const shared = { source: id === undefined ? media : { type: "reference" as const, id }, mediaType };
  if (isImageType(mediaType))
    return { type: "image", ...shared, ...takeAll(source, { knownKeys: IMAGE_KEYS, path, notes }) };
  const name = field("name", findString(source.filename, pathOf(path, "filename")));
  return { type: "file", ...shared, ...name, ...takeAll(source, { knownKeys: FILE_KEYS, path, notes }) };
}

function readReference(value: unknown, path: string): JsonObject {
  const record = toJsonObject(value, path);
  const ids = Object.entries(record).map(([provider, id]) => requireString(id, pathOf(path, provider)));
  if (ids.length === 0) throw invalidMessage(path, "a file id by provider name", value);
  return record;
}

function otherType(inUrl: string | undefined, mediaType: string): string | undefined {
  return inUrl === mediaType ? undefined : inUrl;
}

function decodeLink(source: Fields, path: string): SourcePart {
  return {
    type: "source",
    id: requireString(source.sourceId, pathOf(path, "sourceId")),
    url: requireString(source.url, pathOf(path, "url")),
    ...field("title", findString(source.title, pathOf(path, "title"))),
    ...takeAll(source, { knownKeys: LINK_KEYS, path }),
  };
}

function decodeDocument(source: Fields, path: string): SourcePart {
  return {
    type: "source",
    id: requireString(source.sourceId, pathOf(path, "sourceId")),
    title: requireString(source.title, pathOf(path, "title")),
    mediaType: requireString(source.mediaType, pathOf(path, "mediaType")),
    ...field("name", findString(source.filename, pathOf(path, "filename"))),
    ...takeAll(source, { knownKeys: DOCUMENT_KEYS, path }),
  };
}

interface TakeAll {
  readonly knownKeys: readonly string[];
  readonly path: string;
  readonly notes?: JsonObject;
}

function takeAll(source: Fields, { knownKeys, path, notes = {} }: TakeAll): Pick<TextPart, "extras"> {
  return extrasField(
    takeOptions(source, { ...OPTIONS, path }),
    takeExtras(source, { knownKeys, name: NAME, path }),
    noteExtras(NAME, notes),
  );
}

export function carry(source: Fields, path: string): Part {
  return { type: "unknown", format: NAME, value: toJsonValue(source, path) };
}

/** Carries a part that model messages have too, with its field renamed. */
function carryForModel(source: Fields, path: string): Part {
  if (source.providerOptions !== undefined) return carry(source, path);
  const { providerMetadata, ...others } = toJsonObject(source, path);
  return {
    type: "unknown",
    format: "ai-sdk-model",
    value: { ...others, ...field("providerOptions", providerMetadata) },
  };
}

function carryReasoningFile(source: Fields, path: string): Part {
  const url = requireString(source.url, pathOf(path, "url"));
  const { url: _, ...others } = source;
  return source.data === undefined
    ? carryForModel({ ...others, data: { type: "url", url } }, path)
    : carry(source, path);
}

/** Returns the part in UI format, or nothing. Tool calls and results are encoded elsewhere. */
export function encodeUiPart(part: Exclude<Part, { type: "tool-call" | "tool-result" }>): readonly Fields[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [giveAll({ type: part.type, text: part.text }, { part, knownKeys: TEXT_KEYS })];
    case "image":
    case "file":
      return [encodeFile(part)];
    case "source":
      return [part.url === undefined ? encodeDocument(part) : encodeLink(part, part.url)];
    case "unknown":
      if (part.format === NAME) return isJsonObject(part.value) ? [part.value] : [];
      return part.format === "ai-sdk-model" ? encodeModelValue(part.value) : [];
    default:
      return part satisfies never;
  }
}

function encodeFile(part: ImagePart | FilePart): Fields {
  const { source, extras } = part;
  const notes = findWireExtras(extras, NAME) ?? {};
  const noted = typeof notes.url === "string" ? notes.url : undefined;
  const mediaType = part.mediaType ?? "image";
  const item = { type: "file", mediaType, ...(part.type === "file" ? field("filename", part.name) : {}) };
  const known = { part, knownKeys: part.type === "image" ? IMAGE_KEYS : FILE_KEYS };
  switch (source.type) {
    case "data":
      return giveAll({ ...item, url: toDataUrl({ mediaType: noted ?? mediaType, base64: source.base64 }) }, known);
    case "url":
      return giveAll({ ...item, url: source.url }, known);
    case "reference": {
      const providerReference = isJsonObject(notes.providerReference)
        ? notes.providerReference
        : { unknown: source.id };
      return giveAll({ ...item, url: noted ?? "", providerReference }, known);
    }
    default:
      return source satisfies never;
  }
}

function encodeLink(part: SourcePart, url: string): Fields {
  const item = { type: "source-url", sourceId: part.id, url, ...field("title", part.title) };
  return giveAll(item, { part, knownKeys: LINK_KEYS });
}

function encodeDocument(part: SourcePart): Fields {
  const title = part.title ?? part.name ?? part.id;
  const mediaType = part.mediaType ?? UNKNOWN_TYPE;
  const item = { type: "source-document", sourceId: part.id, mediaType, title, ...field("filename", part.name) };
  return giveAll(item, { part, knownKeys: DOCUMENT_KEYS });
}

interface GiveAll {
  readonly part: Pick<TextPart, "extras">;
  readonly knownKeys: readonly string[];
}

function giveAll(item: Fields, { part: { extras }, knownKeys }: GiveAll): Fields {
  return withExtras({ ...item, ...giveOptions(extras, OPTIONS) }, { extras, name: NAME, knownKeys });
}

function encodeModelValue(value: JsonValue): readonly Fields[] {
  if (!isJsonObject(value) || (value.type !== "custom" && value.type !== "reasoning-file")) return [];
  const { providerOptions, data, ...others } = value;
  const item = { ...others, ...field("providerMetadata", providerOptions) };
  if (value.type === "custom") return [{ ...item, ...field("data", data) }];
  const url = findUrl(data, value.mediaType);
  return url === undefined ? [] : [{ ...item, url }];
}

function findUrl(data: JsonValue | undefined, mediaType: JsonValue | undefined): string | undefined {
  const payload = isJsonObject(data) ? (data.url ?? data.data) : data;
  if (typeof payload !== "string") return undefined;
  const isUrl = /^[a-z][a-z0-9+.-]{0,63}:/i.test(payload);
  const type = typeof mediaType === "string" ? mediaType : UNKNOWN_TYPE;
  return isUrl ? payload : toDataUrl({ mediaType: type, base64: payload });
}
