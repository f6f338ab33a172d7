import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../test/support/growth.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { findString, invalidMessage, pathOf, requireArray, requireObject, requireString } from "../check-value.ts";
import { PalimpsestError } from "../errors.ts";
import {
  joinExtras,
  MAX_JSON_DEPTH,
  makePartIds,
  noteExtras,
  parseDataUrl,
  readBaseId,
  takeExtras,
  takeId,
  toDataUrl,
  toJsonObject,
  toJsonValue,
  withExtras,
  writeId,
} from "./decode-value.ts";
import type { JsonValue } from "./json.ts";

/** Returns the path in the error that the work throws. */
function faultPath(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "message-invalid") return error.details.path;
    throw error;
  }
  return undefined;
}

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
};

describe("toJsonValue", () => {
  test("returns the same as a JSON round trip for every JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(JSON.stringify(toJsonValue(value, "value"))).toBe(JSON.stringify(value));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("shares no mutable value with its source", () => {
    const source = { list: [{ deep: 1 }] };
    const copy = toJsonValue(source, "value");
    source.list.push({ deep: 2 });
    expect(copy).toEqual({ list: [{ deep: 1 }] });
  });

  test.each<[string, unknown, string]>([
    ["a function", { a: { run: () => 1 } }, "value.a.run"],
    ["a symbol", [1, Symbol("x")], "value[1]"],
    ["a bigint", { deep: [{ big: 1n }] }, "value.deep[0].big"],
    ["NaN", { a: Number.NaN }, "value.a"],
    ["negative infinity", [[Number.NEGATIVE_INFINITY]], "value[0][0]"],
    ["undefined", undefined, "value"],
    ["a map", { a: new Map() }, "value.a"],
    ["a set", { a: new Set() }, "value.a"],
    ["an error", { a: new Error("x") }, "value.a"],
    ["a value under a key with a space", { "two words": 1n }, 'value["two words"]'],
  ])("refuses %s and names its path", (_, value, path) => {
    expect(faultPath(() => toJsonValue(value, "value"))).toBe(path);
  });

  test("refuses a circular value, and accepts one that is referenced twice", () => {
    const cycle: Record<string, unknown> = { a: {} };
    cycle.a = { back: cycle };
    expect(faultPath(() => toJsonValue(cycle, "messages[3].input"))).toBe("messages[3].input.a.back");
    const shared = { x: 1 };
    expect(toJsonValue({ one: shared, two: shared }, "value")).toEqual({ one: { x: 1 }, two: { x: 1 } });
  });

  test("accepts values up to the nesting limit, and names the limit when it refuses a deeper one", () => {
    expect(toJsonValue(nested(MAX_JSON_DEPTH), "value")).toEqual(nested(MAX_JSON_DEPTH));
    expect(() => toJsonValue(nested(MAX_JSON_DEPTH + 1), "value")).toThrow(/at most 64 levels of nesting/);
  });

  test("keeps a key named __proto__ as data and does not set the prototype", () => {
    const copy = toJsonValue(JSON.parse('{"a":{"__proto__":{"admin":true}}}'), "value");
    expect(JSON.stringify(copy)).toBe('{"a":{"__proto__":{"admin":true}}}');
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
    const inner = (copy as { a: object }).a;
    expect(Object.getPrototypeOf(inner)).toBe(Object.prototype);
  });

  test("drops undefined fields, and writes undefined list items as null", () => {
    expect(toJsonValue({ a: undefined, b: [undefined, 1] }, "value")).toStrictEqual({ b: [null, 1] });
  });

  test("writes dates and URLs with their toJSON methods, and bytes as base64", () => {
    const value = { at: new Date(0), url: new URL("https://a.example/"), bytes: new Uint8Array([1, 2, 3]) };
    expect(toJsonValue(value, "value")).toEqual({
      at: "1970-01-01T00:00:00.000Z",
      url: "https://a.example/",
      bytes: "AQID",
    });
    expect(toJsonValue(Buffer.from("hi").buffer.slice(0, 0), "value")).toBe("");
  });

  test("takes time in proportion to the size of the value", async () => {
    const wide = Array.from({ length: 200_000 }, (_, index) => ({ index, text: "x" }));
    const cost = (items: readonly unknown[]) =>
      cpuMsOf(() => expect((toJsonValue(items, "value") as readonly JsonValue[]).length).toBe(items.length));
    expect(await growthOf(wide, cost)).toBeLessThan(LINEAR_GROWTH);
  });
});

describe("checks of values", () => {
  test("an error contains the path, the expected type and a short description of the value", () => {
    const secret = "x".repeat(500);
    expect(invalidMessage("messages[0].role", "a role", "rolle").message).toBe(
      'messages[0].role: expected a role, found "rolle".',
    );
    expect(invalidMessage("a", "a number", secret).message).toBe(
      "a: expected a number, found a string of 500 characters.",
    );
    expect(invalidMessage("a", "a string", [1, 2]).message).toBe("a: expected a string, found a list of 2.");
    expect(invalidMessage("a", "a string", { password: secret }).message).toBe(
      "a: expected a string, found an object with password.",
    );
    expect(invalidMessage("a", "a string", new Map()).message).toBe(
      "a: expected a string, found an object of type Map.",
    );
  });

  test("each check returns the value or throws an error with its path", () => {
    expect(requireString("", "a")).toBe("");
    expect(requireArray([], "a")).toEqual([]);
    expect(requireObject(new Date(0), "a")).toEqual(new Date(0));
    expect(findString(null, "a")).toBeUndefined();
    expect(faultPath(() => requireString(1, "a.b"))).toBe("a.b");
    expect(faultPath(() => requireArray({}, "a.b"))).toBe("a.b");
    expect(faultPath(() => requireObject([], "a.b"))).toBe("a.b");
    expect(faultPath(() => requireObject(null, "a.b"))).toBe("a.b");
    expect(faultPath(() => findString(1, "a.b"))).toBe("a.b");
    expect(faultPath(() => toJsonObject([1], "a.b"))).toBe("a.b");
  });

  test("pathOf quotes unusual keys and shortens long ones", () => {
    expect(pathOf(pathOf("messages", 3), "content")).toBe("messages[3].content");
    expect(pathOf("a", "data-weather")).toBe("a.data-weather");
    expect(pathOf("a", 'he said "b"')).toBe('a["he said \\"b\\""]');
    expect(pathOf("a", "k".repeat(1_000)).length).toBeLessThan(50);
  });
});

describe("data URLs", () => {
  test("parseDataUrl reads every data URL that toDataUrl writes", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]+\/[a-z0-9.+-]+(;[a-z]+=[a-z0-9-]+)?$/),
        fc.base64String(),
        (type, base64) => {
          const url = toDataUrl({ mediaType: type, base64 });
          expect(parseDataUrl(url)).toEqual({ mediaType: type, base64 });
        },
      ),
      { numRuns: propertyRuns() },
    );
  });

  test("parseDataUrl returns undefined for a URL that toDataUrl cannot reproduce", () => {
    for (const url of ["data:,hi", "data:;base64,aGk=", "data:text/plain,hi", "https://a.example/;base64,", "aGk="]) {
      expect(parseDataUrl(url)).toBeUndefined();
    }
  });
});

describe("extras", () => {
  test("takeExtras collects exactly the unknown fields, and withExtras writes them back", () => {
    const keys = fc.constantFrom("role", "content", "cache_control", "weight", "__proto__", "constructor");
    const objects = fc
      .array(fc.tuple(keys, fc.jsonValue({ maxDepth: 2 })))
      .map((entries) => Object.fromEntries(entries));
    fc.assert(
      fc.property(objects, (source) => {
        const knownKeys = ["role", "content"];
        const extras = takeExtras(source, { knownKeys, name: "anthropic", path: "messages[0]" });
        const known = Object.fromEntries(Object.entries(source).filter(([key]) => knownKeys.includes(key)));
        const back = withExtras(known, { extras, name: "anthropic" });
        const sorted = (value: object) => JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
        expect(sorted(back)).toBe(sorted(JSON.parse(JSON.stringify(source))));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("takeExtras returns undefined if there are no unknown fields, and its errors name the path", () => {
    const where = { knownKeys: ["role"], name: "gemini", path: "messages[2]" } as const;
    expect(takeExtras({ role: "user", gone: undefined }, where)).toBeUndefined();
    expect(faultPath(() => takeExtras({ role: "user", hook: () => 1 }, where))).toBe("messages[2].hook");
  });

  test("withExtras keeps the item's own fields, omits notes and ignores other formats", () => {
    const extras = { "wire:gemini": { role: "model", weight: 2, content: "a note" }, "wire:anthropic": { other: 1 } };
    const item = withExtras({ role: "user" }, { extras, name: "gemini", knownKeys: ["content"] });
    expect(item).toEqual({ role: "user", weight: 2 });
  });

  test("joinExtras merges by name and field, and returns undefined if all extras are empty", () => {
    expect(joinExtras(undefined, noteExtras("gemini", { a: undefined }))).toBeUndefined();
    expect(joinExtras({ openai: { a: 1 } }, { openai: { b: 2 }, google: {} })).toEqual({
      openai: { a: 1, b: 2 },
      google: {},
    });
  });
});

describe("ids", () => {
  test("makePartIds numbers the messages of an item, and readBaseId returns the item's id", () => {
    expect(makePartIds("m1", 1)).toEqual(["m1"]);
    expect(makePartIds("m1", 3)).toEqual(["m1#0", "m1#1", "m1#2"]);
    expect(makePartIds("a#b", 2).map(readBaseId)).toEqual(["a#b", "a#b"]);
    expect(readBaseId("plain")).toBe("plain");
  });

  test("takeId prefers the item's own id, and writeId writes an empty one back", () => {
    const context = { path: "messages[1]", fallbackId: "f" };
    expect(takeId("own", context)).toEqual({ id: "own", note: true });
    expect(writeId("own", true)).toEqual({ id: "own" });
    for (const empty of ["", null, undefined] as const) {
      const { id, note } = takeId(empty, context);
      expect(id).toBe("f");
      expect(writeId(id, note)).toEqual(empty === undefined ? {} : { id: empty });
    }
    expect(faultPath(() => takeId(7, context))).toBe("messages[1].id");
  });
});
