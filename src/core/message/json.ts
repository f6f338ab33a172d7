/** Values that survive a trip through JSON. Whatever is stored, hashed or sent is one of these. */
import { isObject } from "../check-value.ts";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isObject(value);
}

// Makes a value of ours unchangeable, all the way down: what the log holds may be looked at and never written to.
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const field of Object.values(value)) freezeDeep(field);
  return Object.freeze(value);
}

// One text per value, whatever order its keys were written in, so that the same message sent twice hashes the same.
// Keys whose value is undefined are left out, as JSON does.
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
      .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
    return `{${fields.join(",")}}`;
  }
  return JSON.stringify(value ?? null);
}

export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The question was whether it parses, and it does not.
    return false;
  }
}
