import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Message } from "../message.ts";
import { openAiResponsesFormat } from "./openai-responses.ts";

const decode = (item: unknown): readonly Message[] =>
  openAiResponsesFormat.decode(item, { path: "input[0]", fallbackId: "m0" });

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));
const jsonObject = fc.dictionary(fc.constantFrom("a", "b", "action", "path"), json, { maxKeys: 3 });
const text = fc.string({ unit: "grapheme" });
const base64 = fc.base64String();
const status = fc.constantFrom("completed", "in_progress", null);

const contentPart = fc.oneof(
  fc.record({ type: fc.constant("input_text"), text }),
  fc.record(
    { type: fc.constant("output_text"), text, annotations: fc.array(json, { maxLength: 2 }), logprobs: json },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record({ type: fc.constant("refusal"), refusal: text }),
  fc.record(
    {
      type: fc.constant("input_image"),
      image_url: fc.oneof(
        fc.webUrl(),
        base64.map((data) => `data:image/png;base64,${data}`),
        fc.constant(null),
      ),
      file_id: fc.option(text),
      detail: fc.constantFrom("auto", "high", null),
    },
    { requiredKeys: ["type"] },
  ),
  fc.record(
    {
      type: fc.constant("input_file"),
      file_data: fc.oneof(
        base64.map((data) => `data:application/pdf;base64,${data}`),
        base64.map((data) => `data:image/png;base64,${data}`),
        text,
      ),
      file_url: fc.webUrl(),
      file_id: text,
      filename: fc.option(text),
    },
    { requiredKeys: ["type"] },
  ),
  fc.record({ type: fc.constant("hologram"), beams: json }),
);
const content = fc.oneof(text, fc.array(contentPart, { maxLength: 3 }));

const item = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom("message", null),
      role: fc.constantFrom("user", "assistant", "system", "developer"),
      content,
      id: text,
      status,
      phase: fc.constant("commentary"),
    },
    { requiredKeys: ["role", "content"] },
  ),
  fc.record(
    {
      type: fc.constant("function_call"),
      call_id: text,
      name: text,
      arguments: fc.oneof(
        json.map((value) => JSON.stringify(value)),
        fc.constantFrom('{"a": 1}', "{broken", ""),
      ),
      id: text,
      status,
      namespace: text,
    },
    { requiredKeys: ["type", "call_id", "name", "arguments"] },
  ),
  fc.record(
    {
      type: fc.constantFrom("function_call_output", "custom_tool_call_output"),
      call_id: text,
      output: content,
      id: fc.option(text),
      status,
    },
    { requiredKeys: ["type", "call_id", "output"] },
  ),
  fc.record(
    { type: fc.constant("custom_tool_call"), call_id: text, name: text, input: text, id: text },
    { requiredKeys: ["type", "call_id", "name", "input"] },
  ),
  fc.record(
    {
      type: fc.constant("reasoning"),
      id: fc.option(text),
      summary: fc.array(
        fc.record({ type: fc.constant("summary_text"), text, odd: json }, { requiredKeys: ["type", "text"] }),
        {
          maxLength: 3,
        },
      ),
      encrypted_content: fc.option(text),
      content: fc.array(fc.record({ type: fc.constant("reasoning_text"), text }), { maxLength: 2 }),
      status,
    },
    { requiredKeys: ["type", "summary"] },
  ),
  fc
    .tuple(fc.constantFrom("computer", "shell", "apply_patch", "local_shell"), text, jsonObject, fc.option(text))
    .map(([tool, callId, input, id]) => ({ ...input, type: `${tool}_call`, call_id: callId, id, status: "completed" })),
  fc.record(
    {
      type: fc.constantFrom("computer_call_output", "shell_call_output", "apply_patch_call_output"),
      call_id: text,
      output: fc.oneof(text, json),
      status: fc.constantFrom("completed", "failed"),
    },
    { requiredKeys: ["type", "call_id"] },
  ),
  fc.record({ type: fc.constant("local_shell_call_output"), id: text, output: text }),
  fc.record({ type: fc.constant("item_reference"), id: text }),
  fc.record({ id: text }),
  fc.record({
    type: fc.constantFrom("web_search_call", "mcp_call", "compaction", "image_generation_call"),
    id: text,
    body: json,
  }),
  fc.record({ type: fc.constant("mcp_approval_response"), approval_request_id: text, approve: fc.boolean() }),
);

describe("openAiResponsesFormat", () => {
  test("decodes every item into one message, and encodes it without a change", () => {
    fc.assert(
      fc.property(item, (value) => {
        const decoded = decode(value);
        expect(decoded).toHaveLength(1);
        expect(openAiResponsesFormat.encode(decoded)).toEqual([value]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("decodes into JSON values only, so that a stored message is encoded unchanged", () => {
    fc.assert(
      fc.property(item, (value) => {
        const stored: Message[] = JSON.parse(JSON.stringify(decode(value)));
        expect(openAiResponsesFormat.encode(stored)).toEqual([value]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("writes a joined message as the items that it was joined from", () => {
    const assistantItems = item.filter(
      (value) => decode(value)[0]?.role === "assistant" && !("role" in value && value.role === "assistant"),
    );
    fc.assert(
      fc.property(fc.array(assistantItems, { minLength: 1, maxLength: 4 }), (items) => {
        const parts = items.flatMap((value) => decode(value)[0]?.parts ?? []);
        expect(openAiResponsesFormat.encode([{ id: "joined", role: "assistant", parts }])).toEqual(items);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("decodes each parallel call into its own message", () => {
    const call = (id: string) => ({ type: "function_call", call_id: id, name: "f", arguments: "{}" });
    const messages = [call("a"), call("b")].flatMap(decode);
    expect(messages.map((message) => message.role)).toEqual(["assistant", "assistant"]);
  });

  test("stores the id and the encrypted content of reasoning under the AI SDK's names", () => {
    const [message] = decode({
      type: "reasoning",
      id: "rs_1",
      summary: [
        { type: "summary_text", text: "first" },
        { type: "summary_text", text: "second" },
      ],
      encrypted_content: "xyz",
    });
    const openai = { itemId: "rs_1", reasoningEncryptedContent: "xyz" };
    expect(message?.parts.map((part) => ("extras" in part ? part.extras?.openai : undefined))).toEqual([
      openai,
      openai,
    ]);
  });

  test("writes reasoning parts from the AI SDK as one item for each id", () => {
    const thought = (itemId: string, words: string) =>
      ({ type: "reasoning", text: words, extras: { openai: { itemId, reasoningEncryptedContent: "e" } } }) as const;
    const messages: Message[] = [
      { id: "1", role: "assistant", parts: [thought("a", "x"), thought("a", "y"), thought("b", "")] },
    ];
    const summary = ["x", "y"].map((words) => ({ type: "summary_text", text: words }));
    expect(openAiResponsesFormat.encode(messages)).toEqual([
      { type: "reasoning", id: "a", summary, encrypted_content: "e" },
      { type: "reasoning", id: "b", summary: [], encrypted_content: "e" },
    ]);
  });

  test("decodes items of built-in tools that the host runs into calls and results", () => {
    const [call] = decode({
      type: "computer_call",
      id: "cc",
      call_id: "c",
      action: { type: "screenshot" },
      status: "completed",
    });
    const [result] = decode({ type: "computer_call_output", call_id: "c", output: { image_url: "data:," } });
    expect(call?.parts[0]).toMatchObject({ type: "tool-call", callId: "c", tool: "computer" });
    expect(result?.parts[0]).toMatchObject({ type: "tool-result", callId: "c", tool: "computer" });
  });

  test("recognizes its own items as `sure`, and plain messages as `possible`", () => {
    const own = [
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "ok" },
      { role: "user", content: [{ type: "input_text", text: "hi" }] },
      { type: "reasoning", id: "r", summary: [] },
      { type: "message", role: "user", content: "hi" },
    ];
    expect(own.map((value) => openAiResponsesFormat.recognize(value))).toEqual(own.map(() => "sure"));
    expect(openAiResponsesFormat.recognize({ role: "user", content: "hi" })).toBe("possible");
    const foreign = [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "tool", tool_call_id: "c", content: "ok" },
      { role: "model", parts: [] },
      { type: "human", content: "hi" },
    ];
    expect(foreign.map((value) => openAiResponsesFormat.recognize(value))).toEqual(foreign.map(() => "no"));
  });

  const broken: [string, unknown, string][] = [
    ["a value that is not an object", [], "input[0]"],
    ["an unknown role", { role: "tool", content: "x" }, "input[0].role"],
    ["content that is null", { role: "user", content: null }, "input[0].content"],
    ["a part without a type", { role: "user", content: [{}] }, "input[0].content[0].type"],
    ["a call without an id", { type: "function_call", name: "f", arguments: "" }, "input[0].call_id"],
    [
      "arguments that are not a string",
      { type: "function_call", call_id: "c", name: "f", arguments: {} },
      "input[0].arguments",
    ],
    ["an output that is a number", { type: "function_call_output", call_id: "c", output: 5 }, "input[0].output"],
    ["reasoning without a summary", { type: "reasoning", id: "r" }, "input[0].summary"],
    ["a summary without text", { type: "reasoning", summary: [{ type: "summary_text" }] }, "input[0].summary[0].text"],
    ["an item with neither type nor role", {}, "input[0]"],
  ];
  test.each(broken)("refuses %s and names the path", (_, value, path) => {
    expect(() => decode(value)).toThrow(PalimpsestError);
    expect(() => decode(value)).toThrow(`${path}:`);
  });
});
