/** Values that survive a trip through JSON. Whatever is stored, hashed or sent is one of these. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}
