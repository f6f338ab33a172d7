import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Message } from "../message.ts";
import { geminiFormat } from "./gemini.ts";
import { matchCallsByName } from "./match-calls-by-name.ts";

const decode = (item: unknown): readonly Message[] =>
  geminiFormat.decode(item, { path: "contents[0]", fallbackId: "m0" });
const decodeList = (items: readonly unknown[]): readonly Message[] =>
  matchCallsByName(
    items.flatMap((item, index) => geminiFormat.decode(item, { path: `contents[${index}]`, fallbackId: `m${index}` })),
  );

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));
const jsonObject = fc.dictionary(fc.constantFrom("a", "output", "error", "result"), json, { maxKeys: 3 });
const text = fc.string({ unit: "grapheme" });
const base64 = fc.base64String();
const mimeType = fc.constantFrom("image/png", "application/pdf", "audio/wav", "video/mp4");
const beside = {
  thoughtSignature: base64,
  partMetadata: json,
};

const inlineData = fc.record(
  { mimeType, data: base64, displayName: fc.option(text) },
  { requiredKeys: ["mimeType", "data"] },
);
const fileData = fc.record(
  { fileUri: fc.webUrl(), mimeType: fc.oneof(mimeType, fc.constant(null)), displayName: text },
  { requiredKeys: ["fileUri"] },
);
const words = fc.oneof(
  fc.record({ text, ...beside, thought: fc.constant(false) }, { requiredKeys: ["text"] }),
  fc.record({ inlineData, ...beside, videoMetadata: json }, { requiredKeys: ["inlineData"] }),
  fc.record({ fileData, ...beside }, { requiredKeys: ["fileData"] }),
  fc.record({ hologram: json }),
);
const modelPart = fc.oneof(
  words,
  fc.record({ text, thought: fc.constant(true), ...beside }, { requiredKeys: ["text", "thought"] }),
  fc.record(
    {
      functionCall: fc.record(
        { id: fc.option(text), name: text, args: jsonObject, willContinue: fc.boolean() },
        { requiredKeys: ["name"] },
      ),
      ...beside,
    },
    { requiredKeys: ["functionCall"] },
  ),
  fc.record({
    executableCode: fc.record({ language: fc.constant("PYTHON"), code: text, id: text }, { requiredKeys: ["code"] }),
  }),
  fc.record({
    codeExecutionResult: fc.record({ outcome: fc.constantFrom("OUTCOME_OK", "OUTCOME_FAILED"), output: text }),
  }),
  fc.record({ toolCall: json }),
);
const response = fc.record(
  {
    functionResponse: fc.record(
      {
        id: fc.option(text),
        name: text,
        response: fc.oneof(jsonObject, fc.record({ output: text }), fc.record({ error: text })),
        parts: fc.array(fc.oneof(fc.record({ inlineData }), fc.record({ fileData }), fc.record({ odd: json })), {
          maxLength: 2,
        }),
        scheduling: fc.constant("SILENT"),
      },
      { requiredKeys: ["name", "response"] },
    ),
    ...beside,
  },
  { requiredKeys: ["functionResponse"] },
);
const item = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("user", "function", undefined),
      fc.array(response, { maxLength: 3 }),
      fc.array(words, { maxLength: 3 }),
    )
    .map(([role, responses, others]) => ({
      ...(role === undefined ? {} : { role }),
      parts: [...responses, ...others],
    })),
  fc.record(
    { role: fc.constant("model"), parts: fc.array(modelPart, { maxLength: 5 }), odd: json },
    { requiredKeys: ["role"] },
  ),
  fc.record({ role: fc.constant("system"), parts: fc.array(fc.record({ text }), { maxLength: 2 }) }),
);

describe("geminiFormat", () => {
  test("decodes and encodes every content without a change", () => {
    fc.assert(
      fc.property(item, (value) => {
        expect(geminiFormat.encode(decode(value))).toEqual([value]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("decodes into JSON values only, so that a stored message is encoded unchanged", () => {
    fc.assert(
      fc.property(item, (value) => {
        const stored: Message[] = JSON.parse(JSON.stringify(decode(value)));
        expect(geminiFormat.encode(stored)).toEqual([value]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  const call = (name: string, id?: string) => ({
    functionCall: { name, args: {}, ...(id === undefined ? {} : { id }) },
  });
  const answer = (name: string, id?: string) => ({
    functionResponse: { name, response: { output: "ok" }, ...(id === undefined ? {} : { id }) },
  });
  const idsOf = (messages: readonly Message[], type: "tool-call" | "tool-result") =>
    messages.flatMap((message) => message.parts.flatMap((part) => (part.type === type ? [part.callId] : [])));

  test("matches responses without ids to calls by name and order, and writes no ids", () => {
    const list = [
      { role: "user", parts: [{ text: "look" }] },
      { role: "model", parts: [call("f"), call("g"), call("f")] },
      { role: "user", parts: [answer("f"), answer("f"), answer("g")] },
      { role: "model", parts: [call("f")] },
      { role: "function", parts: [answer("f")] },
    ];
    const messages = decodeList(list);
    expect(idsOf(messages, "tool-call")).toEqual(["m1-call-0", "m1-call-1", "m1-call-2", "m3-call-0"]);
    expect(idsOf(messages, "tool-result")).toEqual(["m1-call-0", "m1-call-2", "m1-call-1", "m3-call-0"]);
    expect(geminiFormat.encode(messages)).toEqual(list);
  });

  test("keeps the user's text in its own content, unless it came with the responses", () => {
    const apart = [
      { role: "model", parts: [call("f")] },
      { role: "user", parts: [answer("f")] },
      { role: "user", parts: [{ text: "stop" }] },
    ];
    const together = [apart[0], { role: "user", parts: [answer("f"), { text: "stop" }] }];
    expect(geminiFormat.encode(decodeList(apart))).toEqual(apart);
    expect(geminiFormat.encode(decodeList(together))).toEqual(together);
  });

  test("does not match a response to a call from an earlier turn", () => {
    const messages = decodeList([
      { role: "model", parts: [call("f")] },
      { role: "user", parts: [{ text: "never mind" }] },
      { role: "model", parts: [call("f")] },
      { role: "user", parts: [answer("f")] },
    ]);
    expect(idsOf(messages, "tool-result")).toEqual(["m2-call-0"]);
  });

  test("uses the call ids of the contents if there are any", () => {
    const messages = decodeList([
      { role: "model", parts: [call("f", "x"), call("f", "y")] },
      { role: "user", parts: [answer("f", "y"), answer("f", "x")] },
    ]);
    expect(idsOf(messages, "tool-result")).toEqual(["y", "x"]);
  });

  test("takes a result's missing tool name from its call", () => {
    const messages: Message[] = [
      { id: "1", role: "assistant", parts: [{ type: "tool-call", callId: "c", tool: "look", input: {} }] },
      {
        id: "2",
        role: "tool",
        parts: [{ type: "tool-result", callId: "c", output: { type: "text", text: "dark" }, failed: true }],
      },
    ];
    expect(geminiFormat.encode(messages)[1]).toEqual({
      role: "user",
      parts: [{ functionResponse: { id: "c", name: "look", response: { error: "dark" } } }],
    });
  });

  test("stores a thought signature under the AI SDK's name", () => {
    const [message] = decode({ role: "model", parts: [{ ...call("f", "x"), thoughtSignature: "c2ln" }] });
    expect(message?.parts[0]).toMatchObject({ extras: { google: { thoughtSignature: "c2ln" } } });
  });

  test("recognizes contents by their parts", () => {
    expect(geminiFormat.recognize({ role: "user", parts: [{ text: "hi" }] })).toBe("sure");
    expect(geminiFormat.recognize({ role: "model", parts: [] })).toBe("sure");
    expect(geminiFormat.recognize({ parts: [{ text: "hi" }] })).toBe("possible");
    const foreign = [
      { role: "user", parts: [{ type: "text", text: "hi" }] },
      { role: "assistant", parts: [] },
      { role: "user", content: "hi" },
    ];
    expect(foreign.map((value) => geminiFormat.recognize(value))).toEqual(foreign.map(() => "no"));
  });

  const broken: [string, unknown, string][] = [
    ["a value that is not an object", null, "contents[0]"],
    ["an unknown role", { role: "assistant", parts: [] }, "contents[0].role"],
    ["parts that are not a list", { role: "user", parts: "hi" }, "contents[0].parts"],
    ["a part that is not an object", { role: "user", parts: ["hi"] }, "contents[0].parts[0]"],
    [
      "a call without a name",
      { role: "model", parts: [{ functionCall: {} }] },
      "contents[0].parts[0].functionCall.name",
    ],
    ["a call by the user", { role: "user", parts: [call("f")] }, "contents[0].parts[0]"],
    ["a response by the model", { role: "model", parts: [answer("f")] }, "contents[0].parts[0]"],
    [
      "a response that is not an object",
      { role: "user", parts: [{ functionResponse: { name: "f", response: "ok" } }] },
      "contents[0].parts[0].functionResponse.response",
    ],
    [
      "data without a type",
      { role: "user", parts: [{ inlineData: { data: "" } }] },
      "contents[0].parts[0].inlineData.mimeType",
    ],
  ];
  test.each(broken)("refuses %s and names the path", (_, value, path) => {
    expect(() => decode(value)).toThrow(PalimpsestError);
    expect(() => decode(value)).toThrow(`${path}:`);
  });
});
