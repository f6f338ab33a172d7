import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder, textPart, toolResultPart } from "../../testing/builders.ts";
import { jsonObjects, jsonValues } from "../../testing/generate-json.ts";
import { parts } from "../../testing/generate-parts.ts";
import { chainUnit, hashMessage } from "./hash-message.ts";
import { canonicalJson } from "./json.ts";
import type { Message, Part, ToolCallPart, ToolResultPart } from "./message.ts";

const { aUserMessage } = messageBuilder();
const message = aUserMessage("Keep the tests green.");
const holding = (part: Part): Message => ({ id: "m", role: "assistant", parts: [part] });

const call: ToolCallPart = { type: "tool-call", callId: "a", tool: "read_file", input: { path: "a.ts" } };
const result: ToolResultPart = toolResultPart("a", "found");

describe("hashMessage", () => {
  test("returns a SHA-256 hash in hexadecimal digits", () => {
    expect(hashMessage(message)).toMatch(/^[0-9a-f]{64}$/);
  });

  test("ignores the id and the time of a message", () => {
    expect(hashMessage({ ...message, id: "other", saidAt: 5 })).toBe(hashMessage(message));
  });

  test("ignores extras of a format", () => {
    const wired = { ...textPart("hello"), extras: { "wire:openai-chat": { refusal: null } } };
    expect(hashMessage(holding(wired))).toBe(hashMessage(holding(textPart("hello"))));
    const both = { ...wired, extras: { ...wired.extras, openai: { itemId: "msg_1" } } };
    const one = { ...textPart("hello"), extras: { openai: { itemId: "msg_1" } } };
    expect(hashMessage(holding(both))).toBe(hashMessage(holding(one)));
  });

  test("ignores extras of the parts inside a tool's output", () => {
    const plain: ToolResultPart = { ...result, output: { type: "parts", parts: [textPart("found")] } };
    const wired: ToolResultPart = {
      ...result,
      output: { type: "parts", parts: [{ ...textPart("found"), extras: { "wire:ai-sdk-model": { kind: "text" } } }] },
    };
    expect(hashMessage(holding(wired))).toBe(hashMessage(holding(plain)));
  });

  test("ignores the order of keys", () => {
    const turned: ToolCallPart = { input: { path: "a.ts" }, tool: "read_file", callId: "a", type: "tool-call" };
    expect(hashMessage(holding(turned))).toBe(hashMessage(holding(call)));
  });

  test.each<[string, Message, Message]>([
    ["the role", message, { ...message, role: "system" }],
    ["the name", message, { ...message, name: "ana" }],
    ["the text", message, { ...message, parts: [textPart("Keep the tests green!")] }],
    ["the number of parts", message, { ...message, parts: [textPart("Keep the "), textPart("tests green.")] }],
    ["the type of a part", holding(textPart("x")), holding({ type: "reasoning", text: "x" })],
    [
      "a provider's extras",
      holding(textPart("x")),
      holding({ ...textPart("x"), extras: { openai: { itemId: "msg_1" } } }),
    ],
    ["the id of a call", holding(call), holding({ ...call, callId: "b" })],
    ["the tool of a call", holding(call), holding({ ...call, tool: "edit_file" })],
    ["the input of a call", holding(call), holding({ ...call, input: { path: "b.ts" } })],
    ["the spelling of an input", holding(call), holding({ ...call, inputText: '{ "path": "a.ts" }' })],
    ["whether the provider ran the tool", holding(call), holding({ ...call, byProvider: true })],
    ["the output of a tool", holding(result), holding({ ...result, output: { type: "text", text: "lost" } })],
    ["whether a tool failed", holding(result), holding({ ...result, failed: true })],
    [
      "an image's source",
      holding({ type: "image", source: { type: "url", url: "https://example.com/1" } }),
      holding({ type: "image", source: { type: "url", url: "https://example.com/2" } }),
    ],
    [
      "an unknown part",
      holding({ type: "unknown", format: "gemini", value: { type: "hologram", size: 1 } }),
      holding({ type: "unknown", format: "gemini", value: { type: "hologram", size: 2 } }),
    ],
    ["which half of a surrogate pair is present", holding(textPart("\ud83d")), holding(textPart("\ude00"))],
  ])("depends on %s", (_, left, right) => {
    expect(hashMessage(left)).not.toBe(hashMessage(right));
  });

  test("returns the same hash after a JSON round trip, for every type of part", () => {
    fc.assert(
      fc.property(parts({ longestCharacters: 200 }), (part) => {
        const back: Message = JSON.parse(JSON.stringify(holding(part)));
        expect(hashMessage(back)).toBe(hashMessage(holding(part)));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns different hashes for parts that differ in more than wire extras", () => {
    const unwired = parts({ longestCharacters: 200 }).filter((part) => !JSON.stringify(part).includes('"wire:'));
    fc.assert(
      fc.property(unwired, unwired, (left, right) => {
        expect(hashMessage(holding(left)) === hashMessage(holding(right))).toBe(isDeepStrictEqual(left, right));
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("chainUnit", () => {
  test("depends on the previous chain, the role and the part", () => {
    const first = chainUnit("", "user", textPart("one"));
    const chains = [
      first,
      chainUnit(first, "user", textPart("one")),
      chainUnit("", "assistant", textPart("one")),
      chainUnit("", "user", textPart("two")),
      chainUnit("", "user", { ...textPart("one"), extras: { "wire:openai-chat": {} } }),
    ];
    expect(new Set(chains).size).toBe(chains.length);
  });

  test("returns the same chain for the same arguments", () => {
    expect(chainUnit("before", "user", textPart("one"))).toBe(chainUnit("before", "user", textPart("one")));
  });
});

describe("canonicalJson", () => {
  test("returns the same text for any order of keys", () => {
    expect(canonicalJson({ b: 1, a: { d: [], c: null } })).toBe('{"a":{"c":null,"d":[]},"b":1}');
    expect(canonicalJson({ a: { c: null, d: [] }, b: 1 })).toBe('{"a":{"c":null,"d":[]},"b":1}');
  });

  test("keeps the order of lists", () => {
    expect(canonicalJson([2, 1, "0"])).toBe('[2,1,"0"]');
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });

  test("omits undefined keys and writes null for gaps in lists, as JSON does", () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(canonicalJson([undefined, 1])).toBe("[null,1]");
    expect(canonicalJson(undefined)).toBe("null");
  });

  test("distinguishes a missing key from a null key", () => {
    expect(canonicalJson({ a: null })).not.toBe(canonicalJson({}));
  });

  test("includes a key named __proto__", () => {
    const own = Object.fromEntries([["__proto__", { role: "admin" }]]);
    expect(canonicalJson(own)).toBe('{"__proto__":{"role":"admin"}}');
  });

  test("ignores inherited fields", () => {
    expect(canonicalJson(Object.create({ hidden: 1 }))).toBe("{}");
  });

  test("distinguishes lone surrogates from each other and from the text of their escapes", () => {
    const texts = ["\ud800", "\udc00", "\ud801", "\ufffd", "\\ud800", "\ud83d\ude00"].map(canonicalJson);
    expect(new Set(texts).size).toBe(texts.length);
  });

  test("returns JSON that parses to the original value", () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        expect(isDeepStrictEqual(JSON.parse(canonicalJson(value)), value)).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns the same text for any order of keys, at any depth", () => {
    fc.assert(
      fc.property(jsonObjects(), (value) => {
        expect(canonicalJson(reverseKeys(value))).toBe(canonicalJson(value));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns different texts for different values", () => {
    fc.assert(
      fc.property(jsonValues(), jsonValues(), (left, right) => {
        expect(canonicalJson(left) === canonicalJson(right)).toBe(isDeepStrictEqual(left, right));
      }),
      { numRuns: propertyRuns() },
    );
  });
});

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, field]) => [key, reverseKeys(field)]),
  );
}
