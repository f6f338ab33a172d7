import { convertToModelMessages, modelMessageSchema, safeValidateUIMessages, type UIMessage } from "ai";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { codePoints } from "../../../testing/generate-texts.ts";
import { PalimpsestError } from "../../errors.ts";
import { listAnsweredIds, listCallIds, type Message, type Part } from "../message.ts";
import { aiSdkModelFormat } from "./ai-sdk-model.ts";
import { aiSdkUiFormat } from "./ai-sdk-ui.ts";

const { recognize, encode } = aiSdkUiFormat;
const decode = (item: unknown): readonly Message[] =>
  aiSdkUiFormat.decode(item, { path: "messages[3]", fallbackId: "f" });
const trip = (item: unknown): unknown => encode(decode(item));
const ofAssistant = (...parts: UIMessage["parts"]): UIMessage => ({ id: "a", role: "assistant", parts });
const shape = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ id, role, parts }) => `${id} ${role}: ${parts.map((part) => part.type).join(" ")}`);

function faultPath(item: unknown): unknown {
  try {
    decode(item);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "message-invalid") return error.details.path;
    throw error;
  }
  return undefined;
}

const texts = fc.oneof(
  fc.string({ unit: codePoints(), maxLength: 20 }),
  fc.constantFrom("", "\u0000", "\ud800", "<|endoftext|>", "$&", "</tool>"),
);
// JSON has no negative zero.
const json: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
const names = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const defined = (item: object): object =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
const record = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { noNullPrototype: true }).map(defined);
const dictionary = (value: fc.Arbitrary<unknown>) => fc.dictionary(names, value, { maxKeys: 2, noNullPrototype: true });
const metadata = maybe(dictionary(dictionary(json)));
const state = maybe(fc.constantFrom("streaming", "done"));
const urls = fc.oneof(
  fc.webUrl(),
  fc.base64String().map((base64) => `data:image/png;base64,${base64}`),
);

const textPart = record({ type: fc.constant("text"), text: texts, state, providerMetadata: metadata });
const filePart = record({
  type: fc.constant("file"),
  mediaType: fc.constantFrom("image/png", "image", "application/pdf"),
  filename: maybe(fc.string()),
  url: urls,
  providerReference: maybe(fc.dictionary(names, fc.string(), { minKeys: 1, maxKeys: 2, noNullPrototype: true })),
  providerMetadata: metadata,
});
const dataPart = record({ type: names.map((name) => `data-${name}`), id: maybe(fc.string()), data: json });
const plainParts = fc.oneof(
  textPart,
  filePart,
  dataPart,
  record({ type: fc.constant("reasoning"), text: texts, id: maybe(fc.string()), state, providerMetadata: metadata }),
  record({ type: fc.constant("custom"), kind: fc.constant("openai.x"), providerMetadata: metadata }),
  record({
    type: fc.constant("reasoning-file"),
    mediaType: fc.constant("image/png"),
    url: urls,
    providerMetadata: metadata,
  }),
  record({
    type: fc.constant("source-url"),
    sourceId: fc.string(),
    url: fc.string(),
    title: maybe(fc.string()),
    providerMetadata: metadata,
  }),
  record({
    type: fc.constant("source-document"),
    sourceId: fc.string(),
    mediaType: fc.string(),
    title: fc.string(),
    filename: maybe(fc.string()),
    providerMetadata: metadata,
  }),
);
const borders = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: "step-start" }) },
  record({
    type: fc.constant("steering-message"),
    id: fc.string(),
    parts: fc.array(fc.oneof(textPart, filePart), { maxLength: 2 }),
  }),
);

const approval = (answer: Record<string, fc.Arbitrary<unknown>>) =>
  record({
    id: fc.uuid(),
    descriptor: maybe(json),
    requestReason: maybe(fc.string()),
    isAutomatic: maybe(fc.boolean()),
    signature: maybe(fc.string()),
    inputSchemaInput: maybe(json),
    ...answer,
  });
const reason = maybe(fc.string());
const granted = approval({ approved: fc.constant(true), reason });
const states: readonly Record<string, fc.Arbitrary<unknown>>[] = [
  { state: fc.constant("input-streaming"), input: maybe(json), rawInput: maybe(fc.string()) },
  { state: fc.constant("input-available"), input: json },
  { state: fc.constant("approval-requested"), input: json, approval: approval({}) },
  { state: fc.constant("approval-responded"), input: json, approval: approval({ approved: fc.boolean(), reason }) },
  {
    state: fc.constant("output-available"),
    input: json,
    output: maybe(json),
    preliminary: maybe(fc.boolean()),
    approval: maybe(granted),
    resultProviderMetadata: metadata,
  },
  {
    state: fc.constant("output-error"),
    input: maybe(json),
    rawInput: maybe(json),
    errorText: texts,
    approval: maybe(granted),
    resultProviderMetadata: metadata,
  },
  { state: fc.constant("output-denied"), input: json, approval: approval({ approved: fc.constant(false), reason }) },
];
const toolParts = fc.oneof(
  ...states.map((fields) =>
    fc
      .tuple(
        record({
          toolCallId: fc.uuid(),
          title: maybe(fc.string()),
          toolMetadata: maybe(dictionary(json)),
          providerExecuted: maybe(fc.boolean()),
          callProviderMetadata: metadata,
          ...fields,
        }),
        names,
        fc.boolean(),
      )
      .map(([fields, name, isDynamic]) => ({
        ...(isDynamic ? { type: "dynamic-tool", toolName: name } : { type: `tool-${name}` }),
        // Tools that returned nothing have the field too.
        ...("state" in fields && fields.state === "output-available" ? { output: undefined } : {}),
        ...fields,
      })),
  ),
);
const parts = fc.array(fc.oneof(plainParts, toolParts, borders), { maxLength: 8 });
const uiMessages = fc.oneof(
  record({
    id: fc.string({ minLength: 1 }),
    role: fc.constant("assistant"),
    metadata: maybe(json),
    parts,
    later: maybe(json),
  }),
  record({
    id: fc.string({ minLength: 1 }),
    role: fc.constantFrom("user", "system"),
    metadata: maybe(json),
    parts: fc.array(fc.oneof(textPart, filePart, dataPart), { minLength: 1, maxLength: 4 }),
  }),
);

describe("aiSdkUiFormat", () => {
  test("decodes and encodes every UI message without a change", () => {
    fc.assert(
      fc.property(uiMessages, (item) => {
        expect(trip(item)).toStrictEqual([item]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("restores a list unchanged after a JSON round trip", () => {
    const unique = fc.uniqueArray(uiMessages, { selector: (item) => (item as UIMessage).id, maxLength: 4 });
    fc.assert(
      fc.property(unique, (items) => {
        const messages = items.flatMap((item) => decode(item));
        expect(encode(JSON.parse(JSON.stringify(messages)))).toEqual(items);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("writes messages that the AI SDK's own validation accepts", async () => {
    await fc.assert(
      fc.asyncProperty(uiMessages, async (item) => {
        const { success } = await safeValidateUIMessages({ messages: trip(item) });
        expect(success).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("puts every tool result right after the message with its call", () => {
    fc.assert(
      fc.property(uiMessages, (item) => {
        const messages = decode(item);
        for (const [index, message] of messages.entries()) {
          if (message.role !== "tool") continue;
          const calls = listCallIds(messages[index - 1] as Message);
          expect(listAnsweredIds(message).every((id) => calls.includes(id))).toBe(true);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("decodes into messages that can be encoded as valid model messages", () => {
    fc.assert(
      fc.property(uiMessages, (item) => {
        for (const message of aiSdkModelFormat.encode(decode(item))) {
          expect(modelMessageSchema.safeParse(message).error).toBeUndefined();
        }
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("aiSdkUiFormat with a growing message", () => {
  /** Returns the messages without those of the last step. */
  const closed = (messages: readonly Message[]): readonly Message[] =>
    messages.slice(0, messages.at(-1)?.role === "tool" ? -2 : -1);

  test("never changes the messages of a finished step, nor their ids", () => {
    fc.assert(
      fc.property(parts, fc.nat({ max: 8 }), json, (all, length, metadata) => {
        const long = decode({ id: "a", role: "assistant", parts: all, metadata: { usage: metadata } });
        const short = decode({ id: "a", role: "assistant", parts: all.slice(0, length) });
        expect(closed(short)).toEqual(long.slice(0, closed(short).length));
        expect(long.map((message) => message.id)).toEqual(long.map((_, index) => `a#${index}`));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("never changes messages before the last one if each step has at most one tool call, at its end", () => {
    const step = fc
      .tuple(fc.array(plainParts, { maxLength: 2 }), maybe(toolParts))
      .map(([stepTexts, tool]) => [{ type: "step-start" }, ...stepTexts, ...(tool === undefined ? [] : [tool])]);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 4 }), fc.nat({ max: 16 }), (steps, length) => {
        const all = steps.flat();
        const long = decode({ id: "a", role: "assistant", parts: all });
        const short = decode({ id: "a", role: "assistant", parts: all.slice(0, length) });
        expect(short.slice(0, -1)).toEqual(long.slice(0, short.length - 1));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("keeps a call unchanged when its result arrives", () => {
    const base = { type: "tool-read" as const, toolCallId: "c", input: { path: "a" } };
    const approval = { id: "p" };
    const states: UIMessage["parts"] = [
      { ...base, state: "approval-requested", approval },
      { ...base, state: "approval-responded", approval: { ...approval, approved: true } },
      { ...base, state: "output-available", output: 1, approval: { ...approval, approved: true } },
      { ...base, state: "output-error", errorText: "x", approval: { ...approval, approved: true } },
      { ...base, state: "output-denied", approval: { ...approval, approved: false } },
    ];
    const calls = states.map((part) => decode(ofAssistant(part))[0]?.parts);
    for (const call of calls) expect(call).toEqual(calls[0]);
  });

  test("gives numbered ids to an assistant message, and a plain id to a user message", () => {
    expect(shape(decode(ofAssistant()))).toEqual(["a#0 assistant: "]);
    expect(shape(decode(ofAssistant({ type: "step-start" })))).toEqual(["a#0 assistant: "]);
    expect(shape(decode({ id: "u", role: "user", parts: [{ type: "text", text: "hi" }] }))).toEqual(["u user: text"]);
    expect(shape(decode({ role: "assistant", parts: [{ type: "text", text: "hi" }] }))).toEqual([
      "f#0 assistant: text",
    ]);
  });
});

describe("the parts of a UI message", () => {
  test("each step becomes an assistant message and a tool message", () => {
    const item = ofAssistant(
      { type: "step-start" },
      { type: "text", text: "looking" },
      { type: "tool-read", toolCallId: "c1", state: "output-available", input: { path: "a" }, output: "text of a" },
      { type: "tool-read", toolCallId: "c2", state: "output-error", input: { path: "b" }, errorText: "no such file" },
      { type: "step-start" },
      { type: "text", text: "done" },
    );
    const messages = decode(item);
    expect(shape(messages)).toEqual([
      "a#0 assistant: text tool-call tool-call",
      "a#1 tool: tool-result tool-result",
      "a#2 assistant: text",
    ]);
    expect(messages[1]?.parts).toEqual([
      { type: "tool-result", callId: "c1", tool: "read", output: { type: "text", text: "text of a" }, failed: false },
      { type: "tool-result", callId: "c2", tool: "read", output: { type: "text", text: "no such file" }, failed: true },
    ]);
    expect(trip(item)).toStrictEqual([item]);
  });

  test("the result of a tool that the provider ran is in the same message as the call", () => {
    const item = ofAssistant(
      { type: "tool-web", toolCallId: "c", state: "output-available", input: {}, output: [1], providerExecuted: true },
      { type: "text", text: "found" },
    );
    expect(shape(decode(item))).toEqual(["a#0 assistant: tool-call tool-result text"]);
    expect(trip(item)).toStrictEqual([item]);
  });

  test("a denied call gets a failed result with the reason, if there is one", () => {
    const call = { type: "tool-rm" as const, toolCallId: "c", state: "output-denied" as const, input: {} };
    const answers = [{ reason: "too risky" }, {}].map((why) =>
      decode(ofAssistant({ ...call, approval: { id: "p", approved: false, ...why } }))[1]?.parts.at(-1),
    );
    const denied = (text: string) => ({
      type: "tool-result",
      callId: "c",
      tool: "rm",
      output: { type: "text", text },
      failed: true,
    });
    expect(answers).toEqual([denied("too risky"), denied("Tool call execution denied.")]);
  });

  test("a call whose input is still streaming is kept unchanged and does not count as a call", () => {
    const item = ofAssistant({ type: "tool-read", toolCallId: "c", state: "input-streaming", input: { pa: 1 } });
    expect(shape(decode(item))).toEqual(["a#0 assistant: unknown"]);
    expect(trip(item)).toStrictEqual([item]);
  });

  test("files, images, URL sources and document sources become parts of their own types", () => {
    const item = ofAssistant(
      { type: "file", mediaType: "application/pdf", filename: "a.pdf", url: "data:application/pdf;base64,aGk=" },
      { type: "file", mediaType: "image/png", filename: "a.png", url: "https://a.example/a.png" },
      { type: "file", mediaType: "image/png", url: "data:image/gif;base64,aGk=" },
      { type: "file", mediaType: "text/csv", url: "", providerReference: { openai: "file-1" } },
      { type: "source-url", sourceId: "s", url: "https://a.example/", title: "A" },
      { type: "source-document", sourceId: "d", mediaType: "text/plain", title: "D", filename: "d.txt" },
    );
    expect(decode(item)[0]?.parts).toMatchObject([
      { type: "file", source: { type: "data", base64: "aGk=" }, mediaType: "application/pdf", name: "a.pdf" },
      { type: "image", source: { type: "url", url: "https://a.example/a.png" }, mediaType: "image/png" },
      { type: "image", source: { type: "data", base64: "aGk=" } },
      { type: "file", source: { type: "reference", id: "file-1" } },
      { type: "source", id: "s", url: "https://a.example/", title: "A" },
      { type: "source", id: "d", title: "D", mediaType: "text/plain", name: "d.txt" },
    ]);
    expect(trip(item)).toStrictEqual([item]);
  });

  test("data parts, unknown types and tools in an unknown state are kept unchanged", () => {
    const parts = [
      { type: "data-weather", id: "w", data: { celsius: 20 } },
      { type: "hologram", depth: 3 },
      { type: "tool-read", toolCallId: "c", state: "output-paused", input: {} },
      { type: "step-start", title: "of a later version" },
      { type: "text", text: "x", citations: [{ kind: "later" }] },
    ];
    expect(trip({ id: "a", role: "assistant", parts })).toEqual([{ id: "a", role: "assistant", parts }]);
  });

  test("a steering message becomes a user message between two steps", () => {
    const item = ofAssistant(
      { type: "step-start" },
      { type: "text", text: "one" },
      { type: "steering-message", id: "s", parts: [{ type: "text", text: "hurry" }] },
      { type: "step-start" },
      { type: "text", text: "two" },
    );
    expect(shape(decode(item))).toEqual(["a#0 assistant: text", "a#1 user: text", "a#2 assistant: text"]);
    expect(trip(item)).toStrictEqual([item]);
  });

  test("metadata is written back, and its createdAt becomes the message's time", () => {
    const at = Date.UTC(2026, 0, 2);
    for (const createdAt of [at, new Date(at).toISOString()]) {
      const item = { id: "u", role: "user", metadata: { createdAt }, parts: [{ type: "text", text: "hi" }] };
      expect(decode(item)[0]?.saidAt).toBe(at);
      expect(trip(item)).toStrictEqual([item]);
    }
    const local = { id: "u", role: "user", metadata: { createdAt: "2026-01-02T00:00:00" }, parts: [] };
    expect(decode(local)[0]?.saidAt).toBeUndefined();
  });

  test("an empty id is written back, and the messages use the fallback id", () => {
    const item = { id: "", role: "assistant", parts: [{ type: "text", text: "hi" }] };
    expect(decode(item)[0]?.id).toBe("f#0");
    expect(trip(item)).toStrictEqual([item]);
  });
});

describe("aiSdkUiFormat and aiSdkModelFormat together", () => {
  const asModel = (items: readonly UIMessage[]): unknown =>
    aiSdkModelFormat.encode(
      items.flatMap((item, index) =>
        aiSdkUiFormat.decode(item, { path: `messages[${index}]`, fallbackId: `f${index}` }),
      ),
    );
  const approval = { id: "p", requestReason: "writes", signature: "s" };
  const call = { type: "tool-write" as const, toolCallId: "c", input: { path: "a" } };

  test.each<[string, UIMessage["parts"]]>([
    [
      "text and a step",
      [{ type: "step-start" }, { type: "text", text: "a" }, { type: "step-start" }, { type: "text", text: "b" }],
    ],
    ["a result", [{ ...call, state: "output-available", output: { ok: true } }]],
    ["an error", [{ ...call, state: "output-error", errorText: "x" }]],
    ["a request for approval", [{ ...call, state: "approval-requested", approval }]],
    [
      "an approval",
      [{ ...call, state: "approval-responded", approval: { ...approval, approved: true, reason: "ok" } }],
    ],
    ["a denial", [{ ...call, state: "approval-responded", approval: { ...approval, approved: false, reason: "no" } }]],
    ["a denied output", [{ ...call, state: "output-denied", approval: { ...approval, approved: false } }]],
    [
      "a custom part",
      [
        { type: "text", text: "a" },
        { type: "custom", kind: "openai.x", providerMetadata: { openai: { itemId: "i" } } },
      ],
    ],
    [
      "a steering message",
      [
        { type: "text", text: "a" },
        { type: "steering-message", id: "s", parts: [{ type: "text", text: "b" }] },
      ],
    ],
  ])("a UI message with %s becomes the same model messages as in the AI SDK", async (_, parts) => {
    const items: UIMessage[] = [ofAssistant(...parts)];
    expect(asList(asModel(items))).toEqual(asList(await convertToModelMessages(items)));
  });
});

/** Writes string content as a list of one text, because both mean the same. */
function asList(messages: unknown): unknown {
  return JSON.parse(JSON.stringify(messages)).map((message: { content: unknown }) =>
    typeof message.content === "string" ? { ...message, content: [{ type: "text", text: message.content }] } : message,
  );
}

describe("aiSdkUiFormat with messages from other formats", () => {
  const call: Part = { type: "tool-call", callId: "c", tool: "read", input: { path: "a" } };
  const result: Part = { type: "tool-result", callId: "c", output: { type: "json", value: [1] }, failed: false };
  const createMessage = (id: string, role: Message["role"], ...parts: Part[]): Message => ({ id, role, parts });

  test("puts each tool result into the part of its call", () => {
    const items = encode([
      createMessage("1", "user", { type: "text", text: "hi" }),
      createMessage("2", "assistant", call),
      createMessage("3", "tool", result),
      createMessage("4", "assistant", { type: "text", text: "done" }),
    ]);
    expect(items).toEqual([
      { id: "1", role: "user", parts: [{ type: "text", text: "hi" }] },
      {
        id: "2",
        role: "assistant",
        parts: [{ type: "tool-read", toolCallId: "c", state: "output-available", input: { path: "a" }, output: [1] }],
      },
      { id: "4", role: "assistant", parts: [{ type: "text", text: "done" }] },
    ]);
  });

  test("writes a result without its call as a text that says so", () => {
    const failed: Part = { ...result, tool: "read", output: { type: "text", text: "boom" }, failed: true };
    const items = encode([
      createMessage("1", "user", { type: "text", text: "hi" }),
      createMessage("2", "tool", failed),
      createMessage("3", "tool", result),
    ]);
    const text = JSON.stringify(items);
    expect(items).toHaveLength(2);
    expect(text).toContain("Error of the tool read (call c; the call itself is not shown):\\nboom");
    expect(text).toContain("Result of a tool (call c; the call itself is not shown):\\n[1]");
  });

  test("keeps a second result of the same call", () => {
    const again: Part = { ...result, output: { type: "text", text: "again" } };
    const [item] = encode([
      createMessage("1", "assistant", call),
      createMessage("2", "tool", result),
      createMessage("3", "tool", again),
    ]);
    expect((item as UIMessage).parts).toHaveLength(2);
    expect(JSON.stringify(item)).toContain("again");
  });

  test("gives a result to the newest of several calls with the same id", () => {
    const items = encode([
      createMessage("1", "assistant", call),
      createMessage("2", "tool", result),
      createMessage("3", "assistant", call),
      createMessage("4", "tool", { ...result, output: { type: "text", text: "second" } }),
    ]);
    expect(items.map((item) => (item as { parts: { output: unknown }[] }).parts[0]?.output)).toEqual([[1], "second"]);
  });

  test("joins the messages of one item into one UI message, with a step for each", () => {
    const items = encode([
      createMessage("x#0", "assistant", call),
      createMessage("x#1", "tool", result),
      createMessage("x#2", "assistant", { type: "text", text: "done" }),
    ]);
    expect(items).toHaveLength(1);
    expect((items[0] as UIMessage).parts.map((part) => part.type)).toEqual(["tool-read", "step-start", "text"]);
  });

  test("gives the pieces of one item unique ids if another message is between them", () => {
    const text: Part = { type: "text", text: "x" };
    const items = encode([
      createMessage("x#0", "assistant", text),
      createMessage("u", "user", text),
      createMessage("x#1", "assistant", text),
    ]);
    expect(items.map((item) => (item as UIMessage).id)).toEqual(["x", "u", "x#1"]);
  });

  test("encodes messages that the AI SDK accepts", async () => {
    const image: Part = { type: "image", source: { type: "data", base64: "aGk=" }, mediaType: "image/png" };
    const messages = encode([
      createMessage("1", "user", image, {
        type: "file",
        source: { type: "reference", id: "f" },
        mediaType: "text/csv",
      }),
      createMessage(
        "2",
        "assistant",
        call,
        { type: "source", id: "s", name: "a.txt" },
        { type: "unknown", format: "gemini", value: 1 },
      ),
      createMessage("3", "tool", {
        ...result,
        output: { type: "parts", parts: [{ type: "text", text: "x" }, image] },
      } as Part),
      createMessage("4", "assistant", { type: "unknown", format: "gemini", value: 1 }),
    ]);
    expect(messages).toHaveLength(2);
    expect(await safeValidateUIMessages({ messages })).toMatchObject({ success: true });
  });
});

describe("aiSdkUiFormat with invalid input", () => {
  const tool = { type: "tool-read", toolCallId: "c", state: "output-error", input: {}, errorText: "x" };
  const assistant = (...parts: unknown[]) => ({ id: "a", role: "assistant", parts });
  test.each<[string, unknown, string]>([
    ["a value that is not an object", [], "messages[3]"],
    ["an unknown role", { id: "a", role: "data", parts: [] }, "messages[3].role"],
    ["a message without parts", { id: "a", role: "user", content: "x" }, "messages[3].parts"],
    ["an id that is not a string", { id: 1, role: "user", parts: [] }, "messages[3].id"],
    ["metadata that is not JSON", { id: "a", role: "user", parts: [], metadata: { a: 1n } }, "messages[3].metadata.a"],
    ["a part that is not an object", assistant("x"), "messages[3].parts[0]"],
    ["a part without a type", assistant({ text: "x" }), "messages[3].parts[0].type"],
    ["text that is not a string", assistant({ type: "text", text: null }), "messages[3].parts[0].text"],
    ["a file without a type", assistant({ type: "file", url: "x" }), "messages[3].parts[0].mediaType"],
    ["a file without a URL", assistant({ type: "file", mediaType: "a/b" }), "messages[3].parts[0].url"],
    [
      "a reference that is not a string",
      assistant({ type: "file", mediaType: "a/b", url: "", providerReference: { openai: 1 } }),
      "messages[3].parts[0].providerReference.openai",
    ],
    ["a source without an id", assistant({ type: "source-url", url: "x" }), "messages[3].parts[0].sourceId"],
    ["a document without a title", assistant({ type: "source-document", sourceId: "s" }), "messages[3].parts[0].title"],
    ["a tool without a state", assistant({ type: "tool-read", toolCallId: "c" }), "messages[3].parts[0].state"],
    ["a tool without an id", assistant({ ...tool, toolCallId: 1 }), "messages[3].parts[0].toolCallId"],
    ["a dynamic tool without a name", assistant({ ...tool, type: "dynamic-tool" }), "messages[3].parts[0].toolName"],
    ["an error without a text", assistant({ ...tool, errorText: undefined }), "messages[3].parts[0].errorText"],
    ["an input that is not JSON", assistant({ ...tool, input: [() => 1] }), "messages[3].parts[0].input[0]"],
    [
      "an output that is not JSON",
      assistant({ ...tool, state: "output-available", output: { a: { b: Number.NaN } } }),
      "messages[3].parts[0].output.a.b",
    ],
    ["an approval without an id", assistant({ ...tool, approval: {} }), "messages[3].parts[0].approval.id"],
    [
      "an approval that is neither true nor false",
      assistant({ ...tool, approval: { id: "p", approved: "yes" } }),
      "messages[3].parts[0].approval.approved",
    ],
    [
      "a steering message without parts",
      assistant({ type: "steering-message", id: "s" }),
      "messages[3].parts[0].parts",
    ],
  ])("refuses %s and names the path", (_, item, path) => {
    expect(faultPath(item)).toBe(path);
  });
});

describe("aiSdkUiFormat.recognize", () => {
  test('returns "sure" for parts with a type, and "no" for parts without one, as Gemini writes them', () => {
    expect(recognize({ id: "u", role: "user", parts: [{ type: "text", text: "x" }] })).toBe("sure");
    expect(recognize({ id: "u", role: "assistant", parts: [] })).toBe("possible");
    expect(recognize({ role: "user", parts: [{ text: "x" }] })).toBe("no");
    expect(recognize({ role: "model", parts: [{ type: "text", text: "x" }] })).toBe("no");
    expect(recognize({ role: "user", content: "x" })).toBe("no");
  });
});
