import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonObjects, jsonValues } from "../../testing/generate-json.ts";
import { propertyRuns } from "../../testing/property-runs.ts";
import { canonicalJson } from "./canonical-json.ts";

describe("canonicalJson", () => {
  test("gives one text for one value, whatever the order of its keys", () => {
    expect(canonicalJson({ b: 1, a: { d: [], c: null } })).toBe('{"a":{"c":null,"d":[]},"b":1}');
    expect(canonicalJson({ a: { c: null, d: [] }, b: 1 })).toBe('{"a":{"c":null,"d":[]},"b":1}');
  });

  test("keeps the order of lists", () => {
    expect(canonicalJson([2, 1, "0"])).toBe('[2,1,"0"]');
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });

  test("leaves out keys without a value and puts null in the gaps of lists, as JSON does", () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(canonicalJson([undefined, 1])).toBe("[null,1]");
    expect(canonicalJson(undefined)).toBe("null");
  });

  test("tells a missing key from one that is null", () => {
    expect(canonicalJson({ a: null })).not.toBe(canonicalJson({}));
  });

  test("sees a key that is named __proto__", () => {
    const own = Object.fromEntries([["__proto__", { role: "admin" }]]);
    expect(canonicalJson(own)).toBe('{"__proto__":{"role":"admin"}}');
  });

  test("does not see what is inherited", () => {
    expect(canonicalJson(Object.create({ hidden: 1 }))).toBe("{}");
  });

  test("tells lone surrogates apart, from each other and from the text of their escapes", () => {
    const texts = ["\ud800", "\udc00", "\ud801", "\ufffd", "\\ud800", "\ud83d\ude00"].map(canonicalJson);
    expect(new Set(texts).size).toBe(texts.length);
  });

  test("reads back as the value it was made of", () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        expect(isDeepStrictEqual(JSON.parse(canonicalJson(value)), value)).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("is the same for any order of the keys, at any depth", () => {
    fc.assert(
      fc.property(jsonObjects(), (value) => {
        expect(canonicalJson(turnedAround(value))).toBe(canonicalJson(value));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("differs where the values differ", () => {
    fc.assert(
      fc.property(jsonValues(), jsonValues(), (left, right) => {
        expect(canonicalJson(left) === canonicalJson(right)).toBe(isDeepStrictEqual(left, right));
      }),
      { numRuns: propertyRuns() },
    );
  });
});

/** The same value with the keys of every object written the other way round. */
function turnedAround(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnedAround);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, field]) => [key, turnedAround(field)]),
  );
}
