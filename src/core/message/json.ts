/** Values that survive JSON. Everything that is stored, hashed or sent is one of these. */
import { isObject } from "../check-value.ts";

/** A value that JSON can express. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object of JSON values. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isObject(value);
}

/** Freezes a value recursively: callers may read what the log holds, but not change it. */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const field of Object.values(value)) freezeDeep(field);
  return Object.freeze(value);
}

/** Writes JSON with sorted keys and without undefined fields, so that a message sent twice has the same hash. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value === "object" && value !== null) return `{${canonicalFields(value as JsonObject)}}`;
  return JSON.stringify(value ?? null);
}

/** Builds no list of fields, to save time: every message is hashed, and an import may have millions. */
function canonicalFields(value: JsonObject): string {
  let text = "";
  for (const key of Object.keys(value).sort()) {
    const field = value[key];
    if (field !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(field)}`;
  }
  return text;
}

export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The text is not JSON.
    return false;
  }
}
