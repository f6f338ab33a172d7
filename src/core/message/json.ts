/** Values that survive a trip through JSON. Whatever is stored, hashed or sent is one of these. */
import { isObject } from "../check-value.ts";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isObject(value);
}
