/**
 * Helpers for checking values by hand, wherever no schema library is loaded: what counts as an object, paths,
 * descriptions of values for errors, and the nearest name for a misspelled one. An error says where the value is, what
 * was expected and what was found. It never repeats a long value, and quotes only names from a message.
 */
import { type ErrorCode, PalimpsestError } from "./errors.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Where a value was found, and the error code for a mistake there. */
export interface ValuePlace {
  readonly path: string;
  readonly code: Extract<ErrorCode, "config-invalid" | "message-invalid">;
  /** The greatest seq that the value may name, if it belongs to an entry of a log. */
  readonly lastSeq?: number | undefined;
}

/** Instances of classes pass: only the fields matter. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Like `isObject`, but false for built-in types such as dates and maps, whose content is not in their fields. */
export function isPlainObject(value: unknown): value is Fields {
  return Object.prototype.toString.call(value) === "[object Object]";
}

export function requireObject(value: unknown, path: string): Fields {
  if (!isObject(value)) throw invalidMessage(path, "an object", value);
  return value;
}

export function requireString(value: unknown, path: string): string {
  if (typeof value !== "string") throw invalidMessage(path, "a string", value);
  return value;
}

/** Returns undefined for an absent value and for `null`; anything else must be a string. */
export function findString(value: unknown, path: string): string | undefined {
  return value === undefined || value === null ? undefined : requireString(value, path);
}

export function requireArray(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidMessage(path, "a list", value);
  return value;
}

export function invalidMessage(path: string, expected: string, found: unknown): PalimpsestError {
  return invalidValue({ path, code: "message-invalid" }, expected, found);
}

export function invalidValue({ path, code }: ValuePlace, expected: string, found: unknown): PalimpsestError {
  const details = code === "config-invalid" ? { key: path, allowed: expected } : { path, expected };
  const isPrivate = code === "message-invalid" && typeof found === "string" && !isWord(found);
  const shown = isPrivate ? `a string of ${found.length} characters` : describeValue(found);
  return new PalimpsestError(code, `${path}: expected ${expected}, found ${shown}.`, { details });
}

/** Returns the path of a field or an item: `messages[3]` and `content` give `messages[3].content`. */
export function pathOf(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  return /^[A-Za-z_$][\w$-]{0,63}$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(shortenQuoted(key))}]`;
}

const MAX_KEYS = 5;

export function describeValue(value: unknown): string {
  if (value === null || ["undefined", "number", "boolean", "bigint"].includes(typeof value)) return String(value);
  if (typeof value === "string") return JSON.stringify(shortenQuoted(value));
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value !== "object") return `a ${typeof value}`;
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return tag === "Object" ? describeKeys(Object.keys(value)) : `an object of type ${tag}`;
}

function describeKeys(keys: readonly string[]): string {
  if (keys.length === 0) return "an empty object";
  const shown = keys.slice(0, MAX_KEYS).map(shortenQuoted).join(", ");
  return `an object with ${shown}${keys.length > MAX_KEYS ? ", …" : ""}`;
}

const MAX_QUOTED_CHARACTERS = 40;

/** A misspelled role, type or name is worth quoting; the text of a conversation is not. */
function isWord(text: string): boolean {
  return text.length <= MAX_QUOTED_CHARACTERS && /^[\w.:/+-]*$/.test(text);
}

function shortenQuoted(text: string): string {
  return text.length <= MAX_QUOTED_CHARACTERS ? text : `${text.slice(0, MAX_QUOTED_CHARACTERS)}…`;
}

/** Creates the error for an unknown option or field. `place` is what takes the options, as the caller writes it. */
export function unknownOption(
  place: string,
  key: string,
  options: readonly string[],
  noun: "option" | "field" = "option",
): PalimpsestError {
  const details = {
    key: `${place}: ${key}`,
    allowed: `one of ${options.join(", ")}`,
    nearest: findNearest(key, options),
  };
  return new PalimpsestError("config-invalid", `${place}: ${describeUnknownKey(key, options, noun)}`, { details });
}

export function describeUnknownKey(
  key: string,
  options: readonly string[],
  noun: "option" | "field" = "option",
): string {
  const nearest = findNearest(key, options);
  const advice = nearest === undefined ? `The ${noun}s are ${options.join(", ")}.` : `Did you mean "${nearest}"?`;
  return `Unknown ${noun} "${key}". ${advice}`;
}

const MAX_NAME_CHARACTERS = 100;

/** Names are near when at most a third of the letters differ, apart from case and underscores. */
export function findNearest(name: string, names: readonly string[]): string | undefined {
  const asked = name.slice(0, MAX_NAME_CHARACTERS);
  const most = Math.max(1, Math.floor(asked.length / 3));
  const near = names.filter((each) => editDistance(plainName(asked), plainName(each)) <= most);
  return near.sort((a, b) => editDistance(asked, a) - editDistance(asked, b))[0];
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll("_", "");
}

/** Counts the letters to add, remove, replace or swap with their neighbor to turn one text into the other. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swap = isSwapped ? (before[column - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY;
      const replace = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      next.push(Math.min((last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, replace, swap));
    }
    [before, last] = [last, next];
  }
  return last[to.length] ?? from.length;
}

const MAX_ID_CHARACTERS = 200;

/** Addresses a message by its place in the log: `seq:17`. */
export const SEQ_ADDRESS = /^seq:(\d{1,15})$/;

/** Whether a new object may have this id: `.`, `..` and lone surrogates cannot be part of a URL path. */
export function isUsableId(id: string): boolean {
  const isFit = id !== "" && id.length <= MAX_ID_CHARACTERS && id !== "." && id !== ".." && !SEQ_ADDRESS.test(id);
  return isFit && id.isWellFormed() && !/\p{Cc}/u.test(id);
}

// Fields of values that may be anything: a missing field, or one of another type, reads as empty.

export function readFields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function findText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function readNumber(value: unknown): number {
  return findNumber(value) ?? 0;
}

export function findNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
