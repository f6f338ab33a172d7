/** Generates JSON values with keys, depths and numbers that programs often get wrong. JSON itself keeps all of them. */
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../core/message/json.ts";
import { texts } from "./generate-texts.ts";
import { weighted } from "./weighted.ts";

export interface JsonOptions {
  /** Maximum depth of nested arrays and objects. Deep values are rare. */
  readonly deepest?: number | undefined;
}

export function jsonValues({ deepest = 64 }: JsonOptions = {}): fc.Arbitrary<JsonValue> {
  return weighted([
    [30, scalars()],
    [40, jsonObjects()],
    [10, fc.array(scalars(), { maxLength: 4, size: "max" })],
    [2, nested(deepest)],
  ]);
}

/** Generates inputs of tools: mostly a few named scalars, sometimes a list or an object inside. */
export function jsonObjects(): fc.Arbitrary<JsonObject> {
  const inner = weighted([
    [6, scalars()],
    [1, fc.array(scalars(), { maxLength: 3, size: "max" })],
    [1, entries(scalars(), 2).map(toObject)],
  ]);
  return entries(inner, 3).map(toObject);
}

function entries(values: fc.Arbitrary<JsonValue>, most: number): fc.Arbitrary<readonly [string, JsonValue][]> {
  return fc.array(fc.tuple(keys(), values), { maxLength: most, size: "max" });
}

/** Uses `fromEntries`, which defines keys: `__proto__` becomes an ordinary key. */
function toObject(pairs: readonly [string, JsonValue][]): JsonObject {
  return Object.fromEntries(pairs);
}

function keys(): fc.Arbitrary<string> {
  return weighted([
    [12, fc.constantFrom("path", "query", "limit", "city", "old_text", "new_text")],
    [1, fc.constantFrom("__proto__", "constructor", "toString", "", "a.b", "0", "类型", "type")],
  ]);
}

function scalars(): fc.Arbitrary<JsonValue> {
  return weighted<JsonValue>([
    [6, texts({ longestCharacters: 400 })],
    [3, fc.integer({ min: -1_000, max: 100_000 })],
    [1, fc.constantFrom(...EDGES)],
    [2, fc.constantFrom(true, false, null)],
  ]);
}

const EDGES = [
  0,
  0.1 + 0.2,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  2 ** 53,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  Number.MIN_VALUE,
  Number.EPSILON,
  1e21,
  1e-7,
  -1,
];

function nested(deepest: number): fc.Arbitrary<JsonValue> {
  return fc
    .tuple(scalars(), fc.integer({ min: 1, max: deepest }), fc.constantFrom("list", "object", "both"))
    .map(([core, depth, shape]) => {
      let value: JsonValue = core;
      for (let level = 0; level < depth; level += 1) {
        const isList = shape === "list" || (shape === "both" && level % 2 === 0);
        value = isList ? [value] : { inside: value };
      }
      return value;
    });
}
