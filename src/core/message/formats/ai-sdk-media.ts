/**
 * Decodes and encodes media of the AI SDK: bare or tagged, as base64, a data URL, a URL, bytes, a provider's reference,
 * or plain text. All become one `MediaSource`; a note keeps the original spelling. Bytes become base64.
 */

import { type Fields, invalidMessage, isObject, pathOf, requireObject, requireString } from "../../check-value.ts";
import { decodeBase64Text, encodeBase64Text } from "../base64.ts";
import {
  findBase64,
  findWireExtras,
  joinExtras,
  noteExtras,
  parseDataUrl,
  toDataUrl,
  toJsonObject,
  withExtras,
} from "../decode-value.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Extras, FilePart, ImagePart, MediaSource } from "../message.ts";
import { optionalField, UNKNOWN_MEDIA_TYPE } from "./wire-item.ts";
import { type ExtrasField, WireObject } from "./wire-object.ts";

const NAME = "ai-sdk-model";

interface DecodedData {
  readonly source: MediaSource;
  /** The media type that a data URL names. */
  readonly mediaType?: string | undefined;
  /** The original spelling, if it differs from the tagged one that we write. */
  readonly note?: JsonObject | undefined;
}

function decodeData(value: unknown, path: string): DecodedData {
  const bytes = findBase64(value);
  if (bytes !== undefined) return { source: { type: "data", base64: bytes }, note: { as: "string" } };
  if (typeof value === "string") return decodeLocation(value, { as: "string" });
  if (value instanceof URL) return decodeLocation(value.href, { as: "url" });
  const object = new WireObject(NAME, value, path);
  if (!("type" in object.fields)) return decodeReference(object.fields, path, { as: "reference" });
  const decoded = decodeTagged(object);
  const { type, data, url, reference, text, ...others } = object.fields;
  const fields = toJsonObject(others, path);
  return Object.keys(fields).length === 0 ? decoded : { ...decoded, note: { ...decoded.note, fields } };
}

export function isImageType(mediaType: string): boolean {
  return mediaType === "image" || mediaType.startsWith("image/");
}

/** Recognizes a data URL, a URL or base64 by its beginning: base64 has no colon. */
function decodeLocation(text: string, note: JsonObject): DecodedData {
  const source: MediaSource = isUrl(text) ? { type: "url", url: text } : { type: "data", base64: text };
  return findDataUrl(text, note) ?? { source, note };
}

export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]{0,63}:/i.test(text);
}

function findDataUrl(text: string, note: JsonObject): DecodedData | undefined {
  const dataUrl = parseDataUrl(text);
  if (dataUrl === undefined) return undefined;
  const { mediaType, base64 } = dataUrl;
  return { source: { type: "data", base64 }, mediaType, note: { ...note, head: toDataUrl({ mediaType, base64: "" }) } };
}

function decodeTagged(object: WireObject): DecodedData {
  const { type, data, url } = object.fields;
  switch (type) {
    case "data": {
      const base64 = findBase64(data) ?? object.text("data");
      return findDataUrl(base64, {}) ?? { source: { type: "data", base64 } };
    }
    case "url": {
      const href = url instanceof URL ? url.href : object.text("url");
      return findDataUrl(href, { as: "tagged-url" }) ?? { source: { type: "url", url: href } };
    }
    case "reference": {
      const reference = object.object("reference");
      return decodeReference(reference.fields, reference.path, {});
    }
    case "text":
      return decodeText(object.text("text"));
    default:
      throw invalidMessage(object.pathOf("type"), "one of data, url, reference, text", type);
  }
}

function decodeReference(record: Fields, path: string, note: JsonObject): DecodedData {
  const reference = readReference(record, path);
  const [id] = Object.values(reference);
  return { source: { type: "reference", id: String(id) }, note: { ...note, reference } };
}

/** Reads file ids by the names of their providers. */
export function readReference(value: unknown, path: string): JsonObject {
  const record = requireObject(value, path);
  const ids = Object.entries(record).map(([provider, id]) => requireString(id, pathOf(path, provider)));
  if (ids.length === 0) throw invalidMessage(path, "a file id by provider name", value);
  return toJsonObject(record, path);
}

/** Text that is not well-formed Unicode has no exact UTF-8 bytes, so the note keeps it. */
function decodeText(text: string): DecodedData {
  return {
    source: { type: "data", base64: encodeBase64Text(text) },
    note: { as: "text", text: text.isWellFormed() ? undefined : text },
  };
}

interface Spelling {
  readonly note: JsonObject;
  readonly extras: Extras | undefined;
}

function encodeData(source: MediaSource, { note, extras }: Spelling): unknown {
  const fields = isJsonObject(note.fields) ? note.fields : {};
  const value = encodeSource(source, { note, extras });
  return isObject(value) && "type" in value ? { ...fields, ...value } : value;
}

function encodeSource(source: MediaSource, { note, extras }: Spelling): unknown {
  switch (source.type) {
    case "data":
      return encodeBytes(source.base64, note);
    case "url":
      if (note.as === "string") return source.url;
      return note.as === "url" ? toUrl(source.url) : { type: "url", url: toUrl(source.url) };
    case "reference": {
      const known = note.reference;
      const isCurrent = isJsonObject(known) && Object.values(known).includes(source.id);
      const reference = isCurrent ? known : { [findProvider(extras)]: source.id };
      return note.as === "reference" ? reference : { type: "reference", reference };
    }
    default:
      return source satisfies never;
  }
}

function encodeBytes(base64: string, { as, head, text }: JsonObject): unknown {
  const prefix = typeof head === "string" ? head : "";
  switch (as) {
    case "text":
      return { type: "text", text: typeof text === "string" ? text : decodeBase64Text(base64) };
    case "string":
      return prefix + base64;
    case "url":
      return toUrl(prefix + base64);
    case "tagged-url":
      return { type: "url", url: toUrl(prefix + base64) };
    default:
      return { type: "data", data: prefix + base64 };
  }
}

/** Encoding never throws: an invalid URL stays a string. */
function toUrl(url: string): URL | string {
  return URL.canParse(url) ? new URL(url) : url;
}

/** A file id is valid only for the provider that issued it; the extras usually name that provider. */
function findProvider(extras: Extras | undefined): string {
  return Object.keys(extras ?? {}).find((name) => !name.startsWith(WIRE_PREFIX)) ?? "unknown";
}

// Images and files of the AI SDK in messages and tool outputs, in the current spelling (`file`) and in older ones. A
// `file` with an image type becomes an image, because that is what a model sees.
interface MediaKind {
  /** The field that holds the bytes or their address. */
  readonly key: string;
  readonly needsType: boolean;
}

const FILE_KIND: MediaKind = { key: "data", needsType: true };

const MEDIA_KINDS: ReadonlyMap<string, MediaKind> = new Map([
  ["file", FILE_KIND],
  ["image", { key: "image", needsType: false }],
  ["media", FILE_KIND],
  ["file-data", FILE_KIND],
  ["image-data", FILE_KIND],
  ["file-url", { key: "url", needsType: false }],
  ["image-url", { key: "url", needsType: false }],
]);

export function findMediaPart(source: WireObject): ImagePart | FilePart | undefined {
  const type = String(source.fields.type);
  const kind = MEDIA_KINDS.get(type);
  if (kind === undefined) return undefined;
  const data = decodeData(source.fields[kind.key], source.pathOf(kind.key));
  const given = kind.needsType ? source.text("mediaType") : source.findText("mediaType");
  const mediaType = given ?? data.mediaType;
  const isImage = type.startsWith("image") || (mediaType !== undefined && isImageType(mediaType));
  const extras = takeModelExtras(source, knownKeys(kind, isImage), {
    type: type === "file" ? undefined : type,
    mediaType: given === undefined ? "absent" : undefined,
    [kind.key]: data.note,
  });
  if (isImage) return { type: "image", source: data.source, ...optionalField("mediaType", mediaType), ...extras };
  const name = optionalField("name", source.findText("filename"));
  return { type: "file", source: data.source, mediaType: mediaType ?? UNKNOWN_MEDIA_TYPE, ...name, ...extras };
}

export function encodeMediaPart(part: ImagePart | FilePart): Fields {
  const notes = findWireExtras(part.extras, NAME) ?? {};
  const type = typeof notes.type === "string" && MEDIA_KINDS.has(notes.type) ? notes.type : "file";
  const kind = MEDIA_KINDS.get(type) ?? FILE_KIND;
  const hasType = kind.needsType || notes.mediaType !== "absent";
  const note = notes[kind.key];
  const item = {
    type,
    [kind.key]: encodeData(part.source, { note: isJsonObject(note) ? note : {}, extras: part.extras }),
    ...(hasType ? { mediaType: part.mediaType ?? "image" } : {}),
    ...(part.type === "file" ? optionalField("filename", part.name) : {}),
  };
  return completeModelItem(item, part, knownKeys(kind, part.type === "image"));
}

/** An image has no name in our format, so its file name is kept as an unknown field. */
function knownKeys(kind: MediaKind, isImage: boolean): readonly string[] {
  const keys = ["type", kind.key, "mediaType"];
  return isImage ? keys : [...keys, "filename"];
}

// The AI SDK's `providerOptions` (`providerMetadata` in UI messages) are our extras by provider name. What extras
// cannot express (an empty object, a provider whose name starts with `wire:`) is noted under the field's own name.
const WIRE_PREFIX = "wire:";

export function takeOptions({ fields, format, path }: WireObject, key: string): Extras | undefined {
  const value = fields[key];
  if (value === undefined) return undefined;
  const place = pathOf(path, key);
  const providers = Object.entries(requireObject(value, place))
    .filter(([, options]) => options !== undefined)
    .map(([provider, options]) => [provider, toJsonObject(options, pathOf(place, provider))] as const);
  const ordinary = providers.filter(([provider]) => !provider.startsWith(WIRE_PREFIX));
  const strange = providers.filter(([provider]) => provider.startsWith(WIRE_PREFIX));
  const note = providers.length === 0 || strange.length > 0 ? Object.fromEntries(strange) : undefined;
  return joinExtras(Object.fromEntries(ordinary), noteExtras(format, { [key]: note }));
}

export function writeOptions(extras: Extras | undefined, name: "ai-sdk-model" | "ai-sdk-ui", key: string): JsonObject {
  const note = findWireExtras(extras, name)?.[key];
  const strange = isJsonObject(note) ? note : undefined;
  const ordinary = Object.entries(extras ?? {}).filter(([provider]) => !provider.startsWith(WIRE_PREFIX));
  if (ordinary.length === 0 && strange === undefined) return {};
  return { [key]: { ...Object.fromEntries(ordinary), ...strange } };
}

/** Takes the options, unknown fields and notes of an object in a model message. */
export function takeModelExtras(source: WireObject, keys: readonly string[], notes?: JsonObject): ExtrasField {
  return source.extras([...keys, "providerOptions"], notes, takeOptions(source, "providerOptions"));
}

/** Adds the fields that `takeModelExtras` collected. */
export function completeModelItem(item: Fields, { extras }: ExtrasField, keys: readonly string[]): Fields {
  const options = writeOptions(extras, NAME, "providerOptions");
  return withExtras({ ...item, ...options }, { extras, name: NAME, knownKeys: [...keys, "providerOptions"] });
}
