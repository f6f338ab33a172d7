/**
 * Where the AI SDK keeps the bytes of a file: bare or tagged, a base64 string, a data URL, a URL, bytes, a reference by
 * provider, or plain text. All of these are one `MediaSource`; which of the spellings it was is the note beside it.
 * Bytes become base64 and stay it.
 */
import type { JsonObject, JsonValue } from "../json.ts";
import type { Extras, MediaSource } from "../message.ts";
import {
  findBase64,
  invalid,
  isJsonObject,
  isObject,
  parseDataUrl,
  pathOf,
  requireObject,
  requireString,
  type SourceObject,
  toDataUrl,
  toJsonObject,
} from "./decode-value.ts";

export interface DecodedData {
  readonly source: MediaSource;
  /** The media type that a data URL names. */
  readonly mediaType?: string | undefined;
  /** How it was spelt, where that is not the tagged spelling that we write ourselves. */
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

/** A data URL, a URL or base64, by what it begins with: base64 has no colon. */
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

function decodeTagged(object: SourceObject, path: string): DecodedData {
  const decoded = decodeTag(object, path);
  const { type, data, url, reference, text, ...others } = object;
  const fields = toJsonObject(others, path);
  if (Object.keys(fields).length === 0) return decoded;
  return { ...decoded, note: { ...decoded.note, fields } };
}

function decodeTag(object: SourceObject, path: string): DecodedData {
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
      throw invalid(pathOf(path, "type"), `one of ${TAGS.join(", ")}`, object.type);
  }
}

function decodeReference(record: SourceObject, { path, note }: { path: string; note: JsonObject }): DecodedData {
  const ids = Object.keys(record).map((provider) => requireString(record[provider], pathOf(path, provider)));
  const [id] = ids;
  if (id === undefined) throw invalid(path, "a file id by provider name", record);
  return { source: { type: "reference", id }, note: { ...note, reference: toJsonObject(record, path) } };
}

/** Text that is not well-formed Unicode has no UTF-8 bytes of its own, so it is kept beside them. */
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

/** Encoding never throws: what is no URL for the runtime stays the string that it was. */
function toUrl(url: string): URL | string {
  return URL.canParse(url) ? new URL(url) : url;
}

/** A file id means something only to the provider that gave it; the extras usually know who that was. */
function findProvider(extras: Extras | undefined): string {
  return Object.keys(extras ?? {}).find((name) => !name.startsWith("wire:")) ?? "unknown";
}
