/**
 * Decodes and encodes parts of an AI SDK UI message that are not tools or step borders: text, reasoning, files,
 * sources. Custom parts and reasoning files are kept in the form of model messages, because they may have to be sent
 * back to a model; data parts and unknown kinds are kept unchanged.
 */
import type { Fields } from "../../check-value.ts";
import { findWireExtras, parseDataUrl, toDataUrl, toJsonObject, withExtras } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { FilePart, ImagePart, MediaSource, Part, SourcePart } from "../message.ts";
import { isImageType, isUrl, readReference, takeOptions, writeOptions } from "./ai-sdk-media.ts";
import { optionalField, UNKNOWN_MEDIA_TYPE } from "./wire-item.ts";
import { type ExtrasField, WireObject } from "./wire-object.ts";

const NAME = "ai-sdk-ui";

const TEXT_KEYS = ["type", "text", "providerMetadata"];
const IMAGE_KEYS = ["type", "mediaType", "url", "providerReference", "providerMetadata"];
const FILE_KEYS = [...IMAGE_KEYS, "filename"];
const LINK_KEYS = ["type", "sourceId", "url", "title", "providerMetadata"];
const DOCUMENT_KEYS = ["type", "sourceId", "mediaType", "title", "filename", "providerMetadata"];

export function decodeUiPart(source: WireObject): Part {
  const type = source.text("type");
  switch (type) {
    case "text":
    case "reasoning":
      return { type, text: source.text("text"), ...takePartExtras(source, TEXT_KEYS) };
    case "file":
      return decodeFile(source);
    case "source-url":
      return decodeLink(source);
    case "source-document":
      return decodeDocument(source);
    case "custom":
      return keepForModel(source);
    case "reasoning-file":
      return keepReasoningFile(source);
    default:
      return source.toUnknown();
  }
}

function decodeFile(source: WireObject): ImagePart | FilePart {
  const mediaType = source.text("mediaType");
  const url = source.text("url");
  const dataUrl = parseDataUrl(url);
  const media: MediaSource = dataUrl === undefined ? { type: "url", url } : { type: "data", base64: dataUrl.base64 };
  const isReferenced = source.fields.providerReference !== undefined;
  const place = source.pathOf("providerReference");
  const reference = isReferenced ? readReference(source.json("providerReference"), place) : undefined;
  const [id] = Object.values(reference ?? {});
  const shared = { source: id === undefined ? media : { type: "reference" as const, id: String(id) }, mediaType };
  const otherType = dataUrl?.mediaType === mediaType ? undefined : dataUrl?.mediaType;
  // The URL that the reference replaces, or the type of a data URL if it differs from the part's own.
  const notes = { providerReference: reference, url: reference === undefined ? otherType : url };
  if (isImageType(mediaType)) return { type: "image", ...shared, ...takePartExtras(source, IMAGE_KEYS, notes) };
  const name = optionalField("name", source.findText("filename"));
  return { type: "file", ...shared, ...name, ...takePartExtras(source, FILE_KEYS, notes) };
}

function decodeLink(source: WireObject): SourcePart {
  const [id, url, title] = [source.text("sourceId"), source.text("url"), source.findText("title")];
  return { type: "source", id, url, ...optionalField("title", title), ...takePartExtras(source, LINK_KEYS) };
}

function decodeDocument(source: WireObject): SourcePart {
  return {
    type: "source",
    id: source.text("sourceId"),
    title: source.text("title"),
    mediaType: source.text("mediaType"),
    ...optionalField("name", source.findText("filename")),
    ...takePartExtras(source, DOCUMENT_KEYS),
  };
}

function takePartExtras(source: WireObject, knownKeys: readonly string[], notes?: JsonObject): ExtrasField {
  return source.extras(knownKeys, notes, takeOptions(source, "providerMetadata"));
}

/** Keeps a part that model messages have too, with its field renamed. */
function keepForModel(source: WireObject): Part {
  if (source.fields.providerOptions !== undefined) return source.toUnknown();
  const { providerMetadata, ...others } = toJsonObject(source.fields, source.path);
  const value = { ...others, ...optionalField("providerOptions", providerMetadata) };
  return { type: "unknown", format: "ai-sdk-model", value };
}

function keepReasoningFile(source: WireObject): Part {
  const url = source.text("url");
  const { url: _, ...others } = source.fields;
  if (source.fields.data !== undefined) return source.toUnknown();
  return keepForModel(new WireObject(NAME, { ...others, data: { type: "url", url } }, source.path));
}

/** Returns the part in UI format, or nothing. Tool calls and results are encoded elsewhere. */
export function encodeUiPart(part: Exclude<Part, { type: "tool-call" | "tool-result" }>): readonly Fields[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [complete({ type: part.type, text: part.text }, part, TEXT_KEYS)];
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
  const item = { type: "file", mediaType, ...(part.type === "file" ? optionalField("filename", part.name) : {}) };
  const keys = part.type === "image" ? IMAGE_KEYS : FILE_KEYS;
  switch (source.type) {
    case "data":
      return complete(
        { ...item, url: toDataUrl({ mediaType: noted ?? mediaType, base64: source.base64 }) },
        part,
        keys,
      );
    case "url":
      return complete({ ...item, url: source.url }, part, keys);
    case "reference": {
      const providerReference = isJsonObject(notes.providerReference)
        ? notes.providerReference
        : { unknown: source.id };
      return complete({ ...item, url: noted ?? "", providerReference }, part, keys);
    }
    default:
      return source satisfies never;
  }
}

function encodeLink(part: SourcePart, url: string): Fields {
  const item = { type: "source-url", sourceId: part.id, url, ...optionalField("title", part.title) };
  return complete(item, part, LINK_KEYS);
}

function encodeDocument(part: SourcePart): Fields {
  const title = part.title ?? part.name ?? part.id;
  const mediaType = part.mediaType ?? UNKNOWN_MEDIA_TYPE;
  const item = {
    type: "source-document",
    sourceId: part.id,
    mediaType,
    title,
    ...optionalField("filename", part.name),
  };
  return complete(item, part, DOCUMENT_KEYS);
}

function complete(item: Fields, { extras }: ExtrasField, knownKeys: readonly string[]): Fields {
  const options = writeOptions(extras, NAME, "providerMetadata");
  return withExtras({ ...item, ...options }, { extras, name: NAME, knownKeys });
}

function encodeModelValue(value: JsonValue): readonly Fields[] {
  if (!isJsonObject(value) || (value.type !== "custom" && value.type !== "reasoning-file")) return [];
  const { providerOptions, data, ...others } = value;
  const item = { ...others, ...optionalField("providerMetadata", providerOptions) };
  if (value.type === "custom") return [{ ...item, ...optionalField("data", data) }];
  const url = findUrl(data, value.mediaType);
  return url === undefined ? [] : [{ ...item, url }];
}

function findUrl(data: JsonValue | undefined, mediaType: JsonValue | undefined): string | undefined {
  const payload = isJsonObject(data) ? (data.url ?? data.data) : data;
  if (typeof payload !== "string") return undefined;
  const type = typeof mediaType === "string" ? mediaType : UNKNOWN_MEDIA_TYPE;
  return isUrl(payload) ? payload : toDataUrl({ mediaType: type, base64: payload });
}
