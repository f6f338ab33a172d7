/**
 * One object of a provider's message, read field by field. A wrong field is a `message-invalid` error with its path;
 * fields that the format does not interpret are collected, so that encoding can write them back.
 */
import { type Fields, findString, invalidMessage, pathOf, requireObject, requireString } from "../../check-value.ts";
import { findWireExtras, joinExtras, noteExtras, takeExtras, toJsonValue, withExtras } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Extras, Message, Part, UnknownPart } from "../message.ts";
import type { FormatName } from "./format.ts";

export type ExtrasField = Pick<Message, "extras">;

export class WireObject {
  readonly fields: Fields;
  readonly path: string;
  readonly format: FormatName;

  constructor(format: FormatName, value: unknown, path: string) {
    this.fields = requireObject(value, path);
    this.path = path;
    this.format = format;
  }

  pathOf(key: string): string {
    return pathOf(this.path, key);
  }

  text(key: string): string {
    return requireString(this.fields[key], this.pathOf(key));
  }

  findText(key: string): string | undefined {
    return findString(this.fields[key], this.pathOf(key));
  }

  findFlag(key: string): boolean | undefined {
    const value = this.fields[key];
    if (value === undefined || typeof value === "boolean") return value;
    throw invalidMessage(this.pathOf(key), "true or false", value);
  }

  json(key: string): JsonValue {
    return toJsonValue(this.fields[key], this.pathOf(key));
  }

  object(key: string): WireObject {
    return new WireObject(this.format, this.fields[key], this.pathOf(key));
  }

  /** Reads a list of objects. `expected` describes the list in errors. */
  list<Item>(key: string, read: (item: WireObject, index: number) => Item, expected = "a list"): readonly Item[] {
    const [value, path] = [this.fields[key], this.pathOf(key)];
    if (!Array.isArray(value)) throw invalidMessage(path, expected, value);
    return value.map((item, index) => read(new WireObject(this.format, item, pathOf(path, index)), index));
  }

  /** Returns `absent` or `null` for a field without a value. */
  describeMissing(key: string): "absent" | "null" | undefined {
    const value = this.fields[key];
    if (value === null) return "null";
    return value === undefined ? "absent" : undefined;
  }

  /** Returns the keys with a value. A `null` has no meaning here, so it is kept with the unknown fields. */
  filledKeys(...keys: readonly string[]): readonly string[] {
    return keys.filter((key) => this.fields[key] !== null);
  }

  toUnknown(): UnknownPart {
    return { type: "unknown", format: this.format, value: toJsonValue(this.fields, this.path) };
  }

  /** Returns the fields that are not known, or undefined if there are none. */
  others(knownKeys: readonly string[]): JsonObject | undefined {
    return findWireExtras(this.#takeExtras(knownKeys), this.format);
  }

  /** Returns the unknown fields, the format's notes and other extras as a field to spread. */
  extras(knownKeys: readonly string[], notes: JsonObject = {}, ...more: readonly (Extras | undefined)[]): ExtrasField {
    const extras = joinExtras(this.#takeExtras(knownKeys), noteExtras(this.format, notes), ...more);
    return extras === undefined ? {} : { extras };
  }

  #takeExtras(knownKeys: readonly string[]): Extras | undefined {
    return takeExtras(this.fields, { knownKeys, name: this.format, path: this.path });
  }
}

/**
 * Writes objects of one format, with the unknown fields that its decoder kept in the extras. The decoder also keeps notes
 * there, under the keys of fields that it interprets, so that the object can be written exactly as it was.
 */
export class WireWriter {
  readonly #format: FormatName;

  constructor(format: FormatName) {
    this.#format = format;
  }

  noteOf(holder: Message | Part, key: string): JsonValue | undefined {
    return "extras" in holder ? findWireExtras(holder.extras, this.#format)?.[key] : undefined;
  }

  /** Returns the decoder's note under a key if it is an object, or an empty object. */
  noteFieldsOf(holder: Message | Part, key: string): JsonObject {
    const note = this.noteOf(holder, key);
    return isJsonObject(note) ? note : {};
  }

  /** Adds the unknown fields of a message or part. Keys of notes are not fields. */
  complete<Item extends object>(item: Item, { extras }: ExtrasField, noteKeys: readonly string[] = []): Item {
    return withExtras(item, { extras, name: this.#format, knownKeys: noteKeys });
  }
}
