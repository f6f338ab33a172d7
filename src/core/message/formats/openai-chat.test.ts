import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Message } from "../message.ts";
import { matchCallsByName } from "./match-calls-by-name.ts";
import { openAiChatFormat } from "./openai-chat.ts";

const decode = (item: unknown): readonly Message[] =>
  openAiChatFormat.decode(item, { path: "messages[0]", fallbackId: "m0" });
const trip = (item: unknown): unknown => openAiChatFormat.encode(decode(item))[0];

/** JSON values after a round trip through text, so without negative zero. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));
const unknownFields = fc.dictionary(fc.constantFrom("annotations", "audio", "reasoning_content", "x-new"), json, {
  maxKeys: 2,
});
const text = fc.string({ unit: "grapheme" });
const base64 = fc.base64String();

const contentPart = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({ type: fc.constant("text"), text, prompt_cache_breakpoint: fc.constant({ mode: "explicit" }) }),
  fc.record({ type: fc.constant("refusal"), refusal: text }),
  fc.record({
    type: fc.constant("image_url"),
    image_url: fc.record(
      {
        url: fc.oneof(
          fc.webUrl(),
          base64.map((data) => `data:image/png;base64,${data}`),
          fc.constant("data:,plain"),
        ),
        detail: fc.constantFrom("auto", "low", null),
        extra: json,
      },
      { requiredKeys: ["url"] },
    ),
  }),
  fc.record({
    type: fc.constant("input_audio"),
    input_audio: fc.record({ data: base64, format: fc.constantFrom("wav", "mp3", "mpeg", "ogg") }),
  }),
  fc.record({
    type: fc.constant("file"),
    file: fc.record(
      {
        file_data: fc.oneof(
          base64.map((data) => `data:application/pdf;base64,${data}`),
          base64.map((data) => `data:image/png;base64,${data}`),
          text,
        ),
        file_id: text,
        filename: fc.option(text),
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ type: fc.constant("hologram"), beams: json }),
);

const content = fc.oneof(text, fc.array(contentPart, { maxLength: 3 }));
const jsonText = fc.oneof(
  json.map((value) => JSON.stringify(value)),
  json.map((value) => JSON.stringify(value, undefined, 2)),
  fc.constantFrom('{"a": 1}', "{broken", "", '{"a":1,"a":2}', "1e2", '"\\u0041"'),
);
const toolCall = fc.oneof(
  fc.record(
    {
      id: text,
      type: fc.constant("function"),
      function: fc.record(
        { name: text, arguments: jsonText, strict: fc.boolean() },
        { requiredKeys: ["name", "arguments"] },
      ),
      index: fc.nat(),
    },
    { requiredKeys: ["id", "function"] },
  ),
  fc.record({ id: text, type: fc.constant("custom"), custom: fc.record({ name: text, input: text }) }),
  fc.record({ id: text, type: fc.constant("future"), future: json }),
);

const item = fc.oneof(
  fc
    .tuple(
      fc.record(
        { role: fc.constantFrom("system", "developer", "user"), content, name: fc.option(text) },
        { requiredKeys: ["role", "content"] },
      ),
      unknownFields,
    )
    .map(([known, unknown]) => ({ ...unknown, ...known })),
  fc
    .tuple(
      fc.record(
        {
          role: fc.constant("assistant"),
          content: fc.oneof(content, fc.constant(null)),
          name: text,
          refusal: fc.option(text),
          tool_calls: fc.oneof(fc.array(toolCall, { maxLength: 3 }), fc.constant(null)),
          function_call: fc.option(fc.record({ name: text, arguments: jsonText })),
        },
        { requiredKeys: ["role"] },
      ),
      unknownFields,
    )
    .map(([known, unknown]) => ({ ...unknown, ...known })),
  fc
    .tuple(
      fc.record(
        { role: fc.constant("tool"), tool_call_id: text, content, name: text },
        { requiredKeys: ["role", "tool_call_id", "content"] },
      ),
      unknownFields,
    )
    .map(([known, unknown]) => ({ ...unknown, ...known })),
  fc.record({ role: fc.constant("function"), name: text, content: fc.option(text) }),
);

describe("openAiChatFormat", () => {
  test("decodes and encodes every message without a change", () => {
    fc.assert(
      fc.property(item, (message) => {
        const before = JSON.stringify(message);
        expect(trip(message)).toEqual(message);
        expect(JSON.stringify(message)).toBe(before);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("decodes into JSON values only, so that a stored message is encoded unchanged", () => {
    fc.assert(
      fc.property(item, (message) => {
        const stored: Message[] = JSON.parse(JSON.stringify(decode(message)));
        expect(openAiChatFormat.encode(stored)).toEqual([message]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test('recognizes tool calls and tool messages as "sure", and plain messages as "possible"', () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    expect(openAiChatFormat.recognize({ role: "assistant", content: null, tool_calls: [call] })).toBe("sure");
    expect(openAiChatFormat.recognize({ role: "tool", tool_call_id: "c", content: "ok" })).toBe("sure");
    expect(openAiChatFormat.recognize({ role: "user", content: "hello" })).toBe("possible");
    expect(openAiChatFormat.recognize({ role: "user", content: [{ type: "text", text: "hello" }] })).toBe("possible");
  });

  test("does not recognize messages of other formats", () => {
    const foreign = [
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "ok" }] },
      { role: "user", content: [{ type: "input_text", text: "hello" }] },
      { role: "user", parts: [{ text: "hello" }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c" }] },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { role: "robot", content: "hello" },
      "hello",
      null,
    ];
    expect(foreign.map((value) => openAiChatFormat.recognize(value))).toEqual(foreign.map(() => "no"));
  });

  test("keeps arguments as the model wrote them, and parses them if they are JSON", () => {
    const call = (text: string) => ({ id: "c", type: "function", function: { name: "f", arguments: text } });
    const parts = (text: string) => decode({ role: "assistant", content: null, tool_calls: [call(text)] })[0]?.parts;
    expect(parts('{"a":1}')).toEqual([{ type: "tool-call", callId: "c", tool: "f", input: { a: 1 } }]);
    expect(parts('{"a": 1}')).toEqual([
      { type: "tool-call", callId: "c", tool: "f", input: { a: 1 }, inputText: '{"a": 1}' },
    ]);
    expect(parts("{oops")).toEqual([{ type: "tool-call", callId: "c", tool: "f", input: "{oops", inputText: "{oops" }]);
  });

  test("decodes a data URL as bytes with their media type", () => {
    const [message] = decode({
      role: "user",
      content: [{ type: "image_url", image_url: { url: "data:image/gif;base64,R0lGOD", detail: "low" } }],
    });
    expect(message?.parts).toEqual([
      {
        type: "image",
        source: { type: "data", base64: "R0lGOD" },
        mediaType: "image/gif",
        extras: { openai: { imageDetail: "low" } },
      },
    ]);
  });

  test("uses the message's own id, or else the fallback id", () => {
    expect(decode({ role: "user", content: "hi", id: "own" })[0]?.id).toBe("own");
    expect(decode({ role: "user", content: "hi" })[0]?.id).toBe("m0");
  });

  test("matches legacy function calls, which have no ids, by name", () => {
    const list = [
      { role: "user", content: "look" },
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "seen" },
    ];
    const decoded = list.flatMap((value, index) =>
      openAiChatFormat.decode(value, { path: `messages[${index}]`, fallbackId: `m${index}` }),
    );
    const matched = matchCallsByName(decoded);
    const ids = matched.flatMap((message) => message.parts.flatMap((part) => ("callId" in part ? [part.callId] : [])));
    expect(ids).toEqual(["m1-call-0", "m1-call-0"]);
    expect(openAiChatFormat.encode(matched)).toEqual(list);
  });

  test("writes messages from other formats without optional fields", () => {
    const messages: Message[] = [
      { id: "1", role: "system", parts: [{ type: "text", text: "be brief" }] },
      { id: "2", role: "user", parts: [{ type: "text", text: "hi", extras: { anthropic: { cacheControl: {} } } }] },
      {
        id: "3",
        role: "assistant",
        parts: [
          { type: "reasoning", text: "hm" },
          { type: "tool-call", callId: "a", tool: "f", input: { x: 1 } },
          { type: "tool-call", callId: "b", tool: "search", input: {}, byProvider: true },
        ],
      },
      {
        id: "4",
        role: "tool",
        parts: [{ type: "tool-result", callId: "a", output: { type: "json", value: { y: 2 } }, failed: false }],
      },
    ];
    expect(openAiChatFormat.encode(messages)).toEqual([
      { role: "system", content: "be brief" },
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } }],
      },
      { role: "tool", tool_call_id: "a", content: '{"y":2}' },
    ]);
  });

  const broken: [string, unknown, string][] = [
    ["a value that is not an object", "hello", "messages[0]"],
    ["an unknown role", { role: "robot", content: "" }, "messages[0].role"],
    ["a user message without content", { role: "user" }, "messages[0].content"],
    ["content that is a number", { role: "user", content: 7 }, "messages[0].content"],
    ["a part without a type", { role: "user", content: [{ text: "a" }] }, "messages[0].content[0].type"],
    [
      "an image without a URL",
      { role: "user", content: [{ type: "image_url", image_url: {} }] },
      "messages[0].content[0].image_url.url",
    ],
    ["a result without its call's id", { role: "tool", content: "x" }, "messages[0].tool_call_id"],
    ["tool calls that are not a list", { role: "assistant", tool_calls: {} }, "messages[0].tool_calls"],
    [
      "arguments that are not a string",
      { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: {} } }] },
      "messages[0].tool_calls[0].function.arguments",
    ],
    ["a name that is not a string", { role: "user", content: "x", name: 3 }, "messages[0].name"],
  ];
  test.each(broken)("refuses %s and names the path", (_, value, path) => {
    expect(() => decode(value)).toThrow(PalimpsestError);
    expect(() => decode(value)).toThrow(`${path}:`);
  });
});
