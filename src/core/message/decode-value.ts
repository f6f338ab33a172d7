/** Helpers that all formats share: a deep copy into JSON, data URLs, ids, and extras, which make decoding lossless. */

import { type Fields, invalidMessage, isObject, pathOf, requireString } from "../check-value.ts";
import { encodeBase64 } from "./base64.ts";
import type { DecodeContext, FormatName } from "./formats/format.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Extras } from "./message.ts";

/** Maximum nesting of arrays and objects; the same limit as for a JSON body on the server. */
export const MAX_JSON_DEPTH = 64;

/**
 * Makes a deep copy that is valid JSON. Drops `undefined` fields, turns bytes into base64, and calls `toJSON` (dates,
 * URLs). Refuses values that JSON would lose silently (maps, sets, errors).
 */
export function toJsonValue(value: unknown, path: string): JsonValue {
  return copyValue(value, { path, depth: 0, ancestors: new Set() });
}

export function toJsonObject(value: unknown, path: string): JsonObject {
  const copy = toJsonValue(value, path);
  if (!isObject(copy)) throw invalidMessage(path, "an object", value);
  return copy;
}

export interface DataUrl {
  readonly mediaType: string;
  readonly base64: string;
}

/** Parses only URLs that `toDataUrl` reproduces exactly; others (percent-encoded, untyped) stay ordinary URLs. */
export function parseDataUrl(url: string): DataUrl | undefined {
  if (!url.startsWith("data:")) return undefined;
  const comma = url.indexOf(",");
  const head = url.slice("data:".length, comma);
  if (comma < 0 || !head.endsWith(";base64")) return undefined;
  const mediaType = head.slice(0, -";base64".length);
  return mediaType === "" ? undefined : { mediaType, base64: url.slice(comma + 1) };
}

export function toDataUrl({ mediaType, base64 }: DataUrl): string {
  return `data:${mediaType};base64,${base64}`;
}

/** Returns bytes of the runtime's types as base64, or undefined if the value is not bytes. */
export function findBase64(value: unknown): string | undefined {
  if (value instanceof ArrayBuffer) return encodeBase64(new Uint8Array(value));
  if (!ArrayBuffer.isView(value)) return undefined;
  return encodeBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
}

export interface ExtrasSource {
  /** Fields that the format interprets itself. They are never collected, so a format may keep notes under them. */
  readonly knownKeys: readonly string[];
  readonly name: FormatName;
  readonly path: string;
}

/** Collects the fields that the format does not interpret, under `wire:<format>`. */
export function takeExtras(object: Fields, { knownKeys, name, path }: ExtrasSource): Extras | undefined {
  const entries = Object.keys(object)
    .filter((key) => object[key] !== undefined && !knownKeys.includes(key))
    .map((key) => [key, toJsonValue(object[key], pathOf(path, key))] as const);
  return entries.length === 0 ? undefined : { [wireName(name)]: Object.fromEntries(entries) };
}

export interface ExtrasTarget {
  readonly extras: Extras | undefined;
  readonly name: FormatName;
  /** Keys under which the format keeps notes; they are not fields of the item. */
  readonly knownKeys?: readonly string[] | undefined;
}

/** Adds the fields that `takeExtras` collected. The item's own fields win. */
export function withExtras<Item extends object>(item: Item, { extras, name, knownKeys = [] }: ExtrasTarget): Item {
  const fields = findWireExtras(extras, name);
  if (fields === undefined) return item;
  const kept = Object.entries(fields).filter(([key]) => !knownKeys.includes(key));
  return { ...Object.fromEntries(kept), ...item };
}

export function findWireExtras(extras: Extras | undefined, name: FormatName): JsonObject | undefined {
  return extras?.[wireName(name)];
}

/** Merges extras name by name and field by field; later ones win. Returns undefined if nothing is left. */
export function joinExtras(...all: readonly (Extras | undefined)[]): Extras | undefined {
  const joined = new Map<string, JsonObject>();
  for (const extras of all) {
    for (const [name, fields] of Object.entries(extras ?? {})) joined.set(name, { ...joined.get(name), ...fields });
  }
  return joined.size === 0 ? undefined : Object.fromEntries(joined);
}

export function wireName(name: FormatName): string {
  return `wire:${name}`;
}

/** Stores notes that a format needs to write an item back unchanged; undefined if there are none. */
export function noteExtras(name: FormatName, notes: JsonObject): Extras | undefined {
  const kept = Object.entries(notes).filter(([, value]) => value !== undefined);
  return kept.length === 0 ? undefined : { [wireName(name)]: Object.fromEntries(kept) };
}

export interface OwnId {
  readonly id: string;
  /** `true` if the item had an id, the original value if it was empty, or undefined if there was none. */
  readonly note: true | "" | null | undefined;
}

/** Takes the item's own id if it is usable, or else the caller's. */
export function takeId(value: unknown, { path, fallbackId }: DecodeContext): OwnId {
  if (value === undefined || value === null || value === "") return { id: fallbackId, note: value };
  return { id: requireString(value, pathOf(path, "id")), note: true };
}

/** Returns the id field of an item, from the message's id and the note of `takeId`. */
export function writeId(id: string, note: JsonValue | undefined): { readonly id?: string | null } {
  if (note === true) return { id };
  return note === "" || note === null ? { id: note } : {};
}

/** Returns ids for the messages of one item: its own id for one, `id#0`, `id#1`, … for several. */
export function makePartIds(id: string, count: number): readonly string[] {
  return count === 1 ? [id] : Array.from({ length: count }, (_, index) => `${id}#${index}`);
}

/** Returns the id of the item that a message came from: `id#1` gives `id`. */
export function readBaseId(id: string): string {
  return id.replace(/#\d+$/, "");
}

interface CopyPlace {
  readonly path: string;
  readonly depth: number;
  readonly ancestors: Set<object>;
}

function copyValue(value: unknown, place: CopyPlace): JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw invalidMessage(place.path, "a finite number", value);
      return value;
    case "object":
      return value === null ? null : copyContainer(value, place);
    default:
      throw invalidMessage(place.path, "a JSON value", value);
  }
}

function copyContainer(value: object, place: CopyPlace): JsonValue {
  const { path, depth, ancestors } = place;
  if (ancestors.has(value)) throw invalidMessage(path, "a value that does not contain itself", value);
  if (depth >= MAX_JSON_DEPTH) throw invalidMessage(path, `at most ${MAX_JSON_DEPTH} levels of nesting`, value);
  ancestors.add(value);
  const copy = copyFields(value, { path, depth: depth + 1, ancestors });
  ancestors.delete(value);
  return copy;
}

function copyFields(value: object, place: CopyPlace): JsonValue {
  // An array cannot drop an element without moving the others, so `undefined` becomes `null`, as in JSON.
  if (Array.isArray(value)) return Array.from(value, (item, index) => copyField(item ?? null, index, place));
  const base64 = findBase64(value);
  if (base64 !== undefined) return base64;
  if ("toJSON" in value && typeof value.toJSON === "function") return copyValue(value.toJSON(), place);
  if (Object.prototype.toString.call(value) !== "[object Object]")
    throw invalidMessage(place.path, "a JSON value", value);
  const source = value as Fields;
  const keys = Object.keys(source).filter((key) => source[key] !== undefined);
  // `fromEntries` defines own properties, so `__proto__` is plain data here.
  return Object.fromEntries(keys.map((key) => [key, copyField(source[key], key, place)]));
}

function copyField(value: unknown, key: string | number, place: CopyPlace): JsonValue {
  // The path is built only if it is needed: most values are strings.
  return typeof value === "string" ? value : copyValue(value, { ...place, path: pathOf(place.path, key) });
}
