import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Message } from "../message.ts";
import { anthropicFormat } from "./anthropic.ts";

const decode = (item: unknown): readonly Message[] =>
  anthropicFormat.decode(item, { path: "messages[0]", fallbackId: "m0" });
const trip = (item: unknown): unknown => anthropicFormat.encode(decode(item))[0];

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));
const text = fc.string({ unit: "grapheme" });
const base64 = fc.base64String();
const cacheControl = fc.constantFrom({ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }, null);

const textBlock = fc.record(
  {
    type: fc.constant("text"),
    text,
    citations: fc.oneof(fc.array(json, { maxLength: 2 }), fc.constant(null)),
    cache_control: cacheControl,
  },
  { requiredKeys: ["type", "text"] },
);
const imageBlock = fc.record(
  {
    type: fc.constant("image"),
    source: fc.oneof(
      fc.record({ type: fc.constant("base64"), media_type: fc.constantFrom("image/png", "image/webp"), data: base64 }),
      fc.record({ type: fc.constant("url"), url: fc.webUrl(), hint: json }, { requiredKeys: ["type", "url"] }),
      fc.record({ type: fc.constant("file"), file_id: text }),
      fc.record({ type: fc.constant("orbit"), path: json }),
    ),
    cache_control: cacheControl,
  },
  { requiredKeys: ["type", "source"] },
);
const documentBlock = fc.record(
  {
    type: fc.constant("document"),
    source: fc.oneof(
      fc.record({
        type: fc.constant("base64"),
        media_type: fc.constantFrom("application/pdf", "text/plain", "image/png", "audio/wav"),
        data: base64,
      }),
      fc.record({ type: fc.constant("text"), media_type: fc.constantFrom("text/plain", "text/csv"), data: text }),
      fc.record({ type: fc.constant("url"), url: fc.webUrl() }),
      fc.record({ type: fc.constant("file"), file_id: text }),
      fc.record({ type: fc.constant("content"), content: fc.array(textBlock, { maxLength: 2 }) }),
    ),
    title: fc.option(text),
    context: text,
    citations: fc.constant({ enabled: true }),
    cache_control: cacheControl,
  },
  { requiredKeys: ["type", "source"] },
);
const unknownBlock = fc.oneof(
  fc.record({
    type: fc.constant("search_result"),
    source: text,
    title: text,
    content: fc.array(textBlock, { maxLength: 1 }),
  }),
  fc.record({ type: fc.constant("container_upload"), file_id: text }),
  fc.record({ type: fc.constant("hologram"), beams: json }),
);
const toolUse = fc.record(
  { type: fc.constant("tool_use"), id: text, name: text, input: json, cache_control: cacheControl, caller: json },
  { requiredKeys: ["type", "id", "name"] },
);
const toolResult = fc.record(
  {
    type: fc.constant("tool_result"),
    tool_use_id: text,
    content: fc.oneof(text, fc.array(fc.oneof(textBlock, imageBlock, documentBlock, unknownBlock), { maxLength: 3 })),
    is_error: fc.boolean(),
    cache_control: cacheControl,
  },
  { requiredKeys: ["type", "tool_use_id"] },
);
const thinking = fc.oneof(
  fc.record(
    { type: fc.constant("thinking"), thinking: text, signature: fc.option(text) },
    { requiredKeys: ["type", "thinking"] },
  ),
  fc.record({ type: fc.constant("redacted_thinking"), data: text }),
);
const serverBlock = fc.oneof(
  fc.record({ type: fc.constant("server_tool_use"), id: text, name: fc.constant("web_search"), input: json }),
  fc.record({ type: fc.constant("mcp_tool_use"), id: text, name: text, server_name: text, input: json }),
  fc.record(
    {
      type: fc.constantFrom("web_search_tool_result", "bash_code_execution_tool_result", "mcp_tool_result"),
      tool_use_id: text,
      content: json,
      is_error: fc.boolean(),
    },
    { requiredKeys: ["type", "tool_use_id"] },
  ),
);

const words = fc.oneof(textBlock, imageBlock, documentBlock, unknownBlock);
const item = fc.oneof(
  fc.record({ role: fc.constantFrom("user", "assistant", "system"), content: text }),
  fc
    .tuple(fc.array(toolResult, { maxLength: 3 }), fc.array(words, { maxLength: 3 }))
    .map(([results, others]) => ({ role: "user", content: [...results, ...others] })),
  fc.record(
    {
      role: fc.constant("assistant"),
      content: fc.array(fc.oneof(textBlock, toolUse, thinking, serverBlock, unknownBlock), { maxLength: 5 }),
      id: text,
      model: text,
      stop_reason: fc.constantFrom("end_turn", null),
      usage: json,
    },
    { requiredKeys: ["role", "content"] },
  ),
  fc.record({ role: fc.constant("system"), content: fc.array(textBlock, { maxLength: 2 }) }),
);

const callOf = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
const resultOf = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" });

describe("anthropicFormat", () => {
  test("decodes and encodes every message without a change", () => {
    fc.assert(
      fc.property(item, (message) => {
        expect(trip(message)).toEqual(message);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("decodes into JSON values only, so that a stored message is encoded unchanged", () => {
    fc.assert(
      fc.property(item, (message) => {
        const stored: Message[] = JSON.parse(JSON.stringify(decode(message)));
        expect(anthropicFormat.encode(stored)).toEqual([message]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("decodes tool results into a tool message before the user's text, and encodes both as one item", () => {
    const message = { role: "user", content: [resultOf("a"), resultOf("b"), { type: "text", text: "go on" }] };
    const decoded = decode(message);
    expect(decoded.map(({ id, role }) => [id, role])).toEqual([
      ["m0#0", "tool"],
      ["m0#1", "user"],
    ]);
    expect(anthropicFormat.encode(decoded)).toEqual([message]);
  });

  test("puts tool results first, even if the item had them last", () => {
    const message = { role: "user", content: [{ type: "text", text: "go on" }, resultOf("a")] };
    expect(trip(message)).toEqual({ role: "user", content: [resultOf("a"), { type: "text", text: "go on" }] });
  });

  test("joins adjacent tool messages and the user message after them, and nothing else", () => {
    const list = [
      { role: "user", content: "hi" },
      { role: "assistant", content: [callOf("a"), callOf("b")] },
      { role: "user", content: [resultOf("a")] },
      { role: "user", content: [resultOf("b")] },
      { role: "user", content: "and now" },
      { role: "user", content: "?" },
    ];
    const messages = list.flatMap((value, index) =>
      anthropicFormat.decode(value, { path: `messages[${index}]`, fallbackId: `m${index}` }),
    );
    expect(anthropicFormat.encode(messages)).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: [callOf("a"), callOf("b")] },
      { role: "user", content: [resultOf("a"), resultOf("b"), { type: "text", text: "and now" }] },
      { role: "user", content: "?" },
    ]);
  });

  test("stores signatures, redacted thinking and cache marks under the AI SDK's names", () => {
    const [message] = decode({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "sig" },
        { type: "redacted_thinking", data: "secret" },
        { type: "text", text: "done", cache_control: { type: "ephemeral" } },
      ],
    });
    expect(message?.parts).toEqual([
      { type: "reasoning", text: "hm", extras: { anthropic: { signature: "sig" } } },
      { type: "reasoning", text: "", extras: { anthropic: { redactedData: "secret" } } },
      { type: "text", text: "done", extras: { anthropic: { cacheControl: { type: "ephemeral" } } } },
    ]);
  });

  test("never writes thinking without Anthropic's signature", () => {
    const messages: Message[] = [
      {
        id: "1",
        role: "assistant",
        parts: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "yes" },
        ],
      },
    ];
    expect(anthropicFormat.encode(messages)).toEqual([{ role: "assistant", content: [{ type: "text", text: "yes" }] }]);
  });

  test("distinguishes tools that the provider ran from tools that the host runs", () => {
    const [message] = decode({
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
        { type: "web_search_tool_result", tool_use_id: "s", content: { type: "web_search_tool_result_error" } },
        callOf("a"),
      ],
    });
    expect(message?.parts.map((part) => ("byProvider" in part ? part.byProvider : undefined))).toEqual([
      true,
      true,
      undefined,
    ]);
    expect(message?.parts[1]).toMatchObject({ type: "tool-result", tool: "web_search", failed: true });
  });

  test('recognizes its own blocks as "sure", and plain text as "possible"', () => {
    expect(anthropicFormat.recognize({ role: "assistant", content: [callOf("a")] })).toBe("sure");
    expect(anthropicFormat.recognize({ role: "user", content: [resultOf("a")] })).toBe("sure");
    expect(anthropicFormat.recognize({ role: "user", content: "hi" })).toBe("possible");
    expect(anthropicFormat.recognize({ role: "user", content: [{ type: "text", text: "hi" }] })).toBe("possible");
    const foreign = [
      { role: "assistant", content: null, tool_calls: [] },
      { role: "tool", tool_call_id: "a", content: "ok" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] },
      { role: "user", parts: [{ text: "hi" }] },
      { role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] },
    ];
    expect(foreign.map((value) => anthropicFormat.recognize(value))).toEqual(foreign.map(() => "no"));
  });

  const broken: [string, unknown, string][] = [
    ["a value that is not an object", 7, "messages[0]"],
    ["an unknown role", { role: "tool", content: "x" }, "messages[0].role"],
    ["a message without content", { role: "user" }, "messages[0].content"],
    ["a block that is not an object", { role: "user", content: ["x"] }, "messages[0].content[0]"],
    ["a block without a type", { role: "user", content: [{}] }, "messages[0].content[0].type"],
    [
      "text that is not a string",
      { role: "user", content: [{ type: "text", text: 1 }] },
      "messages[0].content[0].text",
    ],
    ["a call in a user message", { role: "user", content: [callOf("a")] }, "messages[0].content[0].type"],
    [
      "a result in an assistant message",
      { role: "assistant", content: [resultOf("a")] },
      "messages[0].content[0].type",
    ],
    [
      "a call without an id",
      { role: "assistant", content: [{ type: "tool_use", name: "f", input: {} }] },
      "messages[0].content[0].id",
    ],
    [
      "a result without its call's id",
      { role: "user", content: [{ type: "tool_result" }] },
      "messages[0].content[0].tool_use_id",
    ],
    [
      "an image without data",
      { role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png" } }] },
      "messages[0].content[0].source.data",
    ],
  ];
  test.each(broken)("refuses %s and names the path", (_, value, path) => {
    expect(() => decode(value)).toThrow(PalimpsestError);
    expect(() => decode(value)).toThrow(`${path}:`);
  });
});
