/**
 * Decodes and encodes media of the AI SDK: bare or tagged, as base64, a data URL, a URL, bytes, a provider's reference,
 * or plain text. All become one `MediaSource`; a note keeps the original spelling. Bytes become base64.
 */

import {
  type Fields,
  findString,
  invalidMessage,
  isObject,
  pathOf,
  requireObject,
  requireString,
} from "../../check-value.ts";
import {
  findBase64,
  findWireExtras,
  joinExtras,
  noteExtras,
  parseDataUrl,
  takeExtras,
  toDataUrl,
  toJsonObject,
  withExtras,
} from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Extras, FilePart, ImagePart, MediaSource } from "../message.ts";
import type { FormatName } from "./format.ts";
import { extrasField, field } from "./wire-item.ts";

export interface DecodedData {
  readonly source: MediaSource;
  /** The media type that a data URL names. */
  readonly mediaType?: string | undefined;
  /** The original spelling, if it differs from the tagged one that we write. */
  readonly note?: JsonObject | undefined;
}

const TAGS = ["data", "url", "reference", "text"];

export function decodeData(value: unknown, path: string): DecodedData {
  const bytes = findBase64(value);
  if (bytes !== undefined) return { source: { type: "data", base64: bytes }, note: { as: "string" } };
  if (typeof value === "string") return decodeLocation(value, { as: "string" });
  if (value instanceof URL) return decodeLocation(value.href, { as: "url" });
  const object = requireObject(value, path);
  if (!("type" in object)) return decodeReference(object, { path, note: { as: "reference" } });
  return decodeTagged(object, path);
}

export function isImageType(mediaType: string): boolean {
  return mediaType === "image" || mediaType.startsWith("image/");
}

/** Recognizes a data URL, a URL or base64 by its beginning: base64 has no colon. */
function decodeLocation(text: string, note: JsonObject): DecodedData {
  const isUrl = /^[a-z][a-z0-9+.-]{0,63}:/i.test(text);
  return (
    findDataUrl(text, note) ?? { source: isUrl ? { type: "url", url: text } : { type: "data", base64: text }, note }
  );
}

function findDataUrl(text: string, note: JsonObject): DecodedData | undefined {
  const dataUrl = parseDataUrl(text);
  if (dataUrl === undefined) return undefined;
  const { mediaType, base64 } = dataUrl;
  return { source: { type: "data", base64 }, mediaType, note: { ...note, head: toDataUrl({ mediaType, base64: "" }) } };
}

function decodeTagged(object: Fields, path: string): DecodedData {
  const decoded = decodeTag(object, path);
  const { type, data, url, reference, text, ...others } = object;
  const fields = toJsonObject(others, path);
  if (Object.keys(fields).length === 0) return decoded;
  return { ...decoded, note: { ...decoded.note, fields } };
}

function decodeTag(object: Fields, path: string): DecodedData {
  switch (object.type) {
    case "data": {
      const base64 = findBase64(object.data) ?? requireString(object.data, pathOf(path, "data"));
      return findDataUrl(base64, {}) ?? { source: { type: "data", base64 } };
    }
    case "url": {
      const url = object.url instanceof URL ? object.url.href : requireString(object.url, pathOf(path, "url"));
      return findDataUrl(url, { as: "tagged-url" }) ?? { source: { type: "url", url } };
    }
    case "reference": {
      const place = pathOf(path, "reference");
      return decodeReference(requireObject(object.reference, place), { path: place, note: {} });
    }
    case "text":
      return decodeText(requireString(object.text, pathOf(path, "text")));
    default:
      throw invalidMessage(pathOf(path, "type"), `one of ${TAGS.join(", ")}`, object.type);
  }
}

function decodeReference(record: Fields, { path, note }: { path: string; note: JsonObject }): DecodedData {
  const ids = Object.keys(record).map((provider) => requireString(record[provider], pathOf(path, provider)));
  const [id] = ids;
  if (id === undefined) throw invalidMessage(path, "a file id by provider name", record);
  return { source: { type: "reference", id }, note: { ...note, reference: toJsonObject(record, path) } };
}

/** Text that is not well-formed Unicode has no exact UTF-8 bytes, so the note keeps it. */
function decodeText(text: string): DecodedData {
  const base64 = Buffer.from(text, "utf8").toString("base64");
  return { source: { type: "data", base64 }, note: { as: "text", text: text.isWellFormed() ? undefined : text } };
}

export interface DataSpelling {
  readonly note: JsonValue | undefined;
  readonly extras: Extras | undefined;
}

export function encodeData(source: MediaSource, { note, extras }: DataSpelling): unknown {
  const spelling = isJsonObject(note) ? note : {};
  const fields = isJsonObject(spelling.fields) ? spelling.fields : {};
  const value = encodeSource(source, { spelling, extras });
  return isObject(value) && "type" in value ? { ...fields, ...value } : value;
}

interface SourceSpelling {
  readonly spelling: JsonObject;
  readonly extras: Extras | undefined;
}

function encodeSource(source: MediaSource, { spelling, extras }: SourceSpelling): unknown {
  switch (source.type) {
    case "data":
      return encodeBytes(source.base64, spelling);
    case "url":
      if (spelling.as === "string") return source.url;
      return spelling.as === "url" ? toUrl(source.url) : { type: "url", url: toUrl(source.url) };
    case "reference": {
      const known = spelling.reference;
      const isCurrent = isJsonObject(known) && Object.values(known).includes(source.id);
      const reference = isCurrent ? known : { [findProvider(extras)]: source.id };
      return spelling.as === "reference" ? reference : { type: "reference", reference };
    }
    default:
      return source satisfies never;
  }
}

function encodeBytes(base64: string, { as, head, text }: JsonObject): unknown {
  const prefix = typeof head === "string" ? head : "";
  switch (as) {
    case "text":
      return { type: "text", text: typeof text === "string" ? text : Buffer.from(base64, "base64").toString("utf8") };
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
  return Object.keys(extras ?? {}).find((name) => !name.startsWith("wire:")) ?? "unknown";
}

// Images and files of the AI SDK in messages and tool outputs, in the current spelling (`file`) and in older ones. A
// `file` with an image type becomes an image, because that is what a model sees.
const NAME = "ai-sdk-model";
const OPTIONS = { key: "providerOptions", name: NAME } as const;
const UNKNOWN_TYPE = "application/octet-stream";

interface MediaKind {
  /** The field that holds the bytes or their address. */
  readonly key: string;
  readonly needsType: boolean;
}

const MEDIA_KINDS: ReadonlyMap<string, MediaKind> = new Map([
  ["file", { key: "data", needsType: true }],
  ["image", { key: "image", needsType: false }],
  ["media", { key: "data", needsType: true }],
  ["file-data", { key: "data", needsType: true }],
  ["image-data", { key: "data", needsType: true }],
  ["file-url", { key: "url", needsType: false }],
  ["image-url", { key: "url", needsType: false }],
]);

/** Returns the media part, or undefined if the source is something else. */
export function findMediaPart(source: Fields, path: string): ImagePart | FilePart | undefined {
  const type = String(source.type);
  const kind = MEDIA_KINDS.get(type);
  if (kind === undefined) return undefined;
  const data = decodeData(source[kind.key], pathOf(path, kind.key));
  const typePath = pathOf(path, "mediaType");
  const given = kind.needsType ? requireString(source.mediaType, typePath) : findString(source.mediaType, typePath);
  const mediaType = given ?? data.mediaType;
  const isImage = type.startsWith("image") || (mediaType !== undefined && isImageType(mediaType));
  const extras = extrasField(
    takeOptions(source, { ...OPTIONS, path }),
    takeExtras(source, { knownKeys: knownKeys(kind, isImage), name: NAME, path }),
    noteExtras(NAME, {
      type: type === "file" ? undefined : type,
      mediaType: given === undefined ? "absent" : undefined,
      [kind.key]: data.note,
    }),
  );
  if (isImage) return { type: "image", source: data.source, ...field("mediaType", mediaType), ...extras };
  const name = field("name", findString(source.filename, pathOf(path, "filename")));
  return { type: "file", source: data.source, mediaType: mediaType ?? UNKNOWN_TYPE, ...name, ...extras };
}

export function encodeMediaPart(part: ImagePart | FilePart): Fields {
  const notes = findWireExtras(part.extras, NAME) ?? {};
  const type = typeof notes.type === "string" && MEDIA_KINDS.has(notes.type) ? notes.type : "file";
  const kind = MEDIA_KINDS.get(type) ?? { key: "data", needsType: true };
  const hasType = kind.needsType || notes.mediaType !== "absent";
  const item = {
    type,
    [kind.key]: encodeData(part.source, { note: notes[kind.key], extras: part.extras }),
    ...(hasType ? { mediaType: part.mediaType ?? "image" } : {}),
    ...(part.type === "file" ? field("filename", part.name) : {}),
    ...giveOptions(part.extras, OPTIONS),
  };
  const known = knownKeys(kind, part.type === "image");
  return withExtras(item, { extras: part.extras, name: NAME, knownKeys: known });
}

/** An image has no name in our format, so its file name is carried as an unknown field. */
function knownKeys(kind: MediaKind, isImage: boolean): readonly string[] {
  const keys = ["type", kind.key, "mediaType", "providerOptions"];
  return isImage ? keys : [...keys, "filename"];
}

// The AI SDK's `providerOptions` (`providerMetadata` in UI messages) are our extras by provider name. What extras
// cannot express (an empty object, a provider named like a wire) is noted under the field's own name.
const WIRE_PREFIX = "wire:";

export interface OptionsField {
  readonly key: string;
  readonly name: FormatName;
}

export function takeOptions(
  object: Fields,
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

/** Returns the field with the extras of providers, or nothing. */
export function giveOptions(extras: Extras | undefined, { key, name }: OptionsField): JsonObject {
  const note = findWireExtras(extras, name)?.[key];
  const strange = isJsonObject(note) ? note : undefined;
  const ordinary = Object.entries(extras ?? {}).filter(([provider]) => !provider.startsWith(WIRE_PREFIX));
  if (ordinary.length === 0 && strange === undefined) return {};
  return { [key]: { ...Object.fromEntries(ordinary), ...strange } };
}
