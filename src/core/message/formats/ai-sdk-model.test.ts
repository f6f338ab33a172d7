import { type ModelMessage, modelMessageSchema } from "ai";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Message, Part } from "../message.ts";
import { aiSdkModelFormat } from "./ai-sdk-model.ts";

const { recognize, encode } = aiSdkModelFormat;
const decode = (item: unknown): readonly Message[] =>
  aiSdkModelFormat.decode(item, { path: "messages[3]", fallbackId: "f" });
const partsOf = (item: unknown): readonly Part[] => decode(item)[0]?.parts ?? [];
const trip = (item: unknown): unknown => encode(decode(item))[0];

function faultPath(item: unknown): unknown {
  try {
    decode(item);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "message-invalid") return error.details.path;
    throw error;
  }
  return undefined;
}

const strangeTexts = fc.constantFrom(
  "",
  "\u0000",
  "\ud800 \udc00",
  "<|endoftext|>",
  "$& $1 $$",
  "</summary>]]>",
  "data:x",
);
const texts = fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), strangeTexts);
// JSON has no negative zero.
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
const names = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const options = fc.option(
  fc.dictionary(fc.oneof(names, fc.constant("wire:ai-sdk-model")), fc.dictionary(names, json, { maxKeys: 2 }), {
    maxKeys: 2,
  }),
  { nil: undefined },
);
/** Gives generated objects the ordinary prototype, as decoding does. */
function ordinary(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordinary);
  if (typeof value !== "object" || value === null || value instanceof URL) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, ordinary(inner)]));
}

/** Adds provider options and an unknown field to a part or message. */
const withUnknownField = <Shape extends object>(shape: fc.Arbitrary<Shape>): fc.Arbitrary<Shape & object> =>
  fc.tuple(shape, options, fc.option(json, { nil: undefined })).map(([item, providerOptions, later]) => ({
    ...item,
    ...(providerOptions === undefined ? {} : { providerOptions }),
    ...(later === undefined ? {} : { fieldOfLater: later }),
  }));

const urls = fc.webUrl().filter((url) => URL.canParse(url));
const dataUrls = fc.base64String().map((base64) => `data:image/png;base64,${base64}`);
const references = fc.dictionary(
  names.filter((name) => name !== "type"),
  fc.string(),
  { minKeys: 1, maxKeys: 2 },
);
const tagged = fc.oneof(
  fc.record({ type: fc.constant("data"), data: fc.base64String() }),
  fc.record({ type: fc.constant("url"), url: fc.oneof(urls, dataUrls).map((url) => new URL(url)) }),
  fc.record({ type: fc.constant("reference"), reference: references }),
  fc.record({ type: fc.constant("text"), text: texts }),
);
const bare = fc.oneof(
  fc.base64String(),
  urls,
  dataUrls,
  fc.oneof(urls, dataUrls).map((url) => new URL(url)),
  references,
);
const mediaTypes = fc.constantFrom("image/png", "image", "application/pdf", "text/plain", "audio");
const maybeName = fc.option(fc.string(), { nil: undefined });
const defined = (item: object): object =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));

const textPart = withUnknownField(fc.record({ type: fc.constant("text"), text: texts }));
const imagePart = withUnknownField(
  fc
    .record({ type: fc.constant("image"), image: bare, mediaType: fc.option(mediaTypes, { nil: undefined }) })
    .map(defined),
);
const filePart = withUnknownField(
  fc
    .record({ type: fc.constant("file"), data: fc.oneof(tagged, bare), mediaType: mediaTypes, filename: maybeName })
    .map(defined),
);
const reasoningPart = withUnknownField(fc.record({ type: fc.constant("reasoning"), text: texts }));
const customPart = withUnknownField(fc.record({ type: fc.constant("custom"), kind: fc.constant("openai.compaction") }));
const callPart = withUnknownField(
  fc
    .tuple(
      fc.record({
        type: fc.constant("tool-call"),
        toolCallId: fc.string(),
        toolName: names,
        providerExecuted: fc.option(fc.boolean(), { nil: undefined }),
      }),
      fc.option(json, { nil: undefined }),
    )
    .map(([call, input]) => ({ ...defined(call), input })),
);
const contentElement = withUnknownField(
  fc.oneof(
    fc.record({ type: fc.constant("text"), text: texts }),
    fc.record({ type: fc.constant("file"), data: tagged, mediaType: mediaTypes, filename: maybeName }).map(defined),
    fc.record({ type: fc.constantFrom("file-data", "image-data"), data: fc.base64String(), mediaType: mediaTypes }),
    fc.record({ type: fc.constantFrom("file-url", "image-url"), url: urls }),
    fc.record({ type: fc.constantFrom("file-id", "image-file-id"), fileId: fc.oneof(fc.string(), references) }),
    fc.record({ type: fc.constantFrom("file-reference", "image-file-reference"), providerReference: references }),
    fc.record({ type: fc.constant("custom") }),
  ),
);
const output = withUnknownField(
  fc.oneof(
    fc.record({ type: fc.constantFrom("text", "error-text"), value: texts }),
    fc.record({ type: fc.constantFrom("json", "error-json"), value: json }),
    fc.record({ type: fc.constant("execution-denied"), reason: maybeName }).map(defined),
    fc.record({ type: fc.constant("content"), value: fc.array(contentElement, { maxLength: 3 }) }),
  ),
);
const resultPart = withUnknownField(
  fc.record({ type: fc.constant("tool-result"), toolCallId: fc.string(), toolName: names, output }),
);
const approvalRequest = fc.record({
  type: fc.constant("tool-approval-request"),
  approvalId: fc.string(),
  toolCallId: fc.string(),
  isAutomatic: fc.boolean(),
});
const approvalResponse = fc.record({
  type: fc.constant("tool-approval-response"),
  approvalId: fc.string(),
  approved: fc.boolean(),
});
const id = fc.option(fc.string(), { nil: undefined });
const message = <Content>(role: string, content: fc.Arbitrary<Content>) =>
  withUnknownField(fc.record({ role: fc.constant(role), content, id }).map(defined));
const list = <Item>(...kinds: fc.Arbitrary<Item>[]) => fc.array(fc.oneof(...kinds), { maxLength: 4 });
const modelMessages = fc.oneof(
  message("system", texts),
  message("user", fc.oneof(texts, list<object>(textPart, imagePart, filePart))),
  message(
    "assistant",
    fc.oneof(texts, list<object>(textPart, reasoningPart, customPart, filePart, callPart, resultPart, approvalRequest)),
  ),
  message("tool", list<object>(resultPart, approvalResponse)),
);

describe("aiSdkModelFormat", () => {
  test("decodes and encodes every model message without a change", () => {
    fc.assert(
      fc.property(modelMessages, (item) => {
        expect(encode(decode(item))).toStrictEqual([ordinary(item)]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("writes messages that the AI SDK's own schema accepts", () => {
    fc.assert(
      fc.property(modelMessages, (item) => {
        const [written] = encode(decode(item));
        expect(modelMessageSchema.safeParse(written).success).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("encodes the same items after a JSON round trip of the decoded messages", () => {
    fc.assert(
      fc.property(modelMessages, (item) => {
        expect(encode(JSON.parse(JSON.stringify(decode(item))))).toEqual([item]);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("the parts of a model message", () => {
  test("string content stays a string and a list of one text stays a list", () => {
    const items: readonly ModelMessage[] = [
      { role: "user", content: "hi" },
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content: "" },
      { role: "assistant", content: [] },
    ];
    for (const item of items) expect(trip(item)).toStrictEqual(item);
    expect(partsOf({ role: "user", content: "hi" })).toEqual(
      partsOf({ role: "user", content: [{ type: "text", text: "hi" }] }),
    );
  });

  test("provider options are stored as extras under the provider's name", () => {
    const options = { anthropic: { cacheControl: { type: "ephemeral" } } };
    const item: ModelMessage = {
      role: "user",
      content: [{ type: "text", text: "hi", providerOptions: options }],
      providerOptions: { openai: { store: false } },
    };
    const [message] = decode(item);
    expect(message?.parts).toEqual([{ type: "text", text: "hi", extras: options }]);
    expect(message?.extras).toEqual({ openai: { store: false } });
  });

  test("binary data is decoded and written back as base64", () => {
    const bytes = new Uint8Array([104, 105]);
    for (const data of [bytes, bytes.buffer, Buffer.from("hi")]) {
      const item: ModelMessage = { role: "user", content: [{ type: "file", data, mediaType: "application/pdf" }] };
      expect(partsOf(item)).toMatchObject([{ type: "file", source: { type: "data", base64: "aGk=" } }]);
      const written = { type: "file", data: "aGk=", mediaType: "application/pdf" };
      expect(trip(item)).toEqual({ role: "user", content: [written] });
    }
    const legacy: ModelMessage = { role: "user", content: [{ type: "image", image: bytes }] };
    expect(trip(legacy)).toEqual({ role: "user", content: [{ type: "image", image: "aGk=" }] });
  });

  test("a view into a larger buffer contributes only its own bytes", () => {
    const view = new Uint8Array(new Uint8Array([1, 104, 105, 2]).buffer, 1, 2);
    const item = { role: "user", content: [{ type: "image", image: view }] };
    expect(partsOf(item)).toMatchObject([{ source: { type: "data", base64: "aGk=" } }]);
  });

  test("a file in the form that Palimpsest writes needs no extras", () => {
    const data = { type: "data" as const, data: "aGk=" };
    const item: ModelMessage = { role: "user", content: [{ type: "file", mediaType: "application/pdf", data }] };
    expect(partsOf(item)).toEqual([
      { type: "file", source: { type: "data", base64: "aGk=" }, mediaType: "application/pdf" },
    ]);
  });

  test("a file with an image media type is decoded as an image", () => {
    const items: readonly ModelMessage[] = [
      { role: "user", content: [{ type: "file", mediaType: "image/png", data: "aGk=", filename: "a.png" }] },
      { role: "user", content: [{ type: "file", mediaType: "image", data: { type: "data", data: "aGk=" } }] },
      { role: "user", content: [{ type: "image", image: "data:image/png;base64,aGk=" }] },
      {
        role: "user",
        content: [{ type: "image", image: new URL("data:image/gif;base64,aGk="), mediaType: "image/gif" }],
      },
    ];
    for (const item of items) {
      expect(partsOf(item)).toMatchObject([{ type: "image", source: { type: "data", base64: "aGk=" } }]);
      expect(trip(item)).toStrictEqual(item);
    }
  });

  test("a URL is written back as a URL object or a string, as it came", () => {
    const url = "https://a.example/b.png";
    for (const data of [url, new URL(url), { type: "url" as const, url: new URL(url) }]) {
      const item: ModelMessage = { role: "user", content: [{ type: "file", mediaType: "text/plain", data }] };
      expect(partsOf(item)).toMatchObject([{ type: "file", source: { type: "url", url } }]);
      expect(trip(item)).toStrictEqual(item);
    }
    const stored = { role: "user", content: [{ type: "file", mediaType: "text/plain", data: { type: "url", url } }] };
    expect(trip(stored)).toEqual({
      role: "user",
      content: [{ ...stored.content[0], data: { type: "url", url: new URL(url) } }],
    });
  });

  test("a reference keeps the file ids of all providers", () => {
    const reference = { openai: "file-1", anthropic: "file-2" };
    for (const data of [reference, { type: "reference" as const, reference }]) {
      const item: ModelMessage = { role: "user", content: [{ type: "file", mediaType: "application/pdf", data }] };
      expect(partsOf(item)).toMatchObject([{ source: { type: "reference", id: "file-1" } }]);
      expect(trip(item)).toStrictEqual(item);
    }
  });

  test("a text file is stored as bytes and restored unchanged, even with a lone surrogate", () => {
    for (const text of ["grüße", "\ud800"]) {
      const data = { type: "text" as const, text };
      const item: ModelMessage = { role: "user", content: [{ type: "file", mediaType: "text/plain", data }] };
      expect(partsOf(item)).toMatchObject([{ source: { type: "data" } }]);
      expect(trip(item)).toStrictEqual(item);
    }
  });

  test("a tool call that the provider ran stays in one message with its result", () => {
    const item: ModelMessage = {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
        { type: "tool-call", toolCallId: "c", toolName: "web", input: { q: 1 }, providerExecuted: true },
        { type: "tool-result", toolCallId: "c", toolName: "web", output: { type: "json", value: [1] } },
      ],
    };
    expect(partsOf(item)).toEqual([
      { type: "reasoning", text: "hm", extras: { anthropic: { signature: "s" } } },
      { type: "tool-call", callId: "c", tool: "web", input: { q: 1 }, byProvider: true },
      {
        type: "tool-result",
        callId: "c",
        tool: "web",
        output: { type: "json", value: [1] },
        failed: false,
        byProvider: true,
      },
    ]);
    expect(trip(item)).toStrictEqual(item);
  });

  test.each([
    [{ type: "text", value: "a" }, { type: "text", text: "a" }, false],
    [{ type: "json", value: { a: [1] } }, { type: "json", value: { a: [1] } }, false],
    [{ type: "error-text", value: "a" }, { type: "text", text: "a" }, true],
    [{ type: "error-json", value: null }, { type: "json", value: null }, true],
    [{ type: "execution-denied", reason: "no" }, { type: "text", text: "no" }, true],
    [{ type: "execution-denied" }, { type: "text", text: "Tool call execution denied." }, true],
    [
      { type: "content", value: [{ type: "text", text: "a" }] },
      { type: "parts", parts: [{ type: "text", text: "a" }] },
      false,
    ],
  ])("decodes the tool output %j", (wire, expected, failed) => {
    const content = [{ type: "tool-result", toolCallId: "c", toolName: "t", output: wire }];
    expect(partsOf({ role: "tool", content })).toMatchObject([{ output: expected, failed }]);
    expect(trip({ role: "tool", content })).toStrictEqual({ role: "tool", content });
  });

  test("an output of an unknown type is kept unchanged", () => {
    const output = { type: "hologram", value: 1, depth: { of: "field" } };
    const item = { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "t", output }] };
    expect(trip(item)).toEqual(item);
  });

  test("a replaced output is written with its new value", () => {
    const output = { type: "execution-denied", reason: "no" };
    const [message] = decode({
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c", toolName: "t", output }],
    });
    const parts = message?.parts.map((part) =>
      part.type === "tool-result" ? { ...part, output: { type: "text" as const, text: "pruned" } } : part,
    );
    const [written] = encode([{ ...(message as Message), parts: parts ?? [] }]);
    expect(written).toMatchObject({ content: [{ output: { type: "error-text", value: "pruned" } }] });
    expect(modelMessageSchema.safeParse(written).success).toBe(true);
  });

  test("approvals, custom parts, reasoning files and unknown parts are kept unchanged", () => {
    const items: readonly ModelMessage[] = [
      {
        role: "assistant",
        content: [
          { type: "tool-approval-request", approvalId: "a", toolCallId: "c", signature: "s" },
          { type: "custom", kind: "openai.compaction", providerOptions: { openai: { itemId: "i" } } },
          { type: "reasoning-file", mediaType: "image/png", data: { type: "url", url: new URL("https://a.example/") } },
          { type: "reasoning-file", mediaType: "image/png", data: "aGk=" },
        ],
      },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true, reason: "ok" }] },
    ];
    for (const item of items) {
      expect(new Set(partsOf(item).map((part) => part.type))).toEqual(new Set(["unknown"]));
      expect(trip(item)).toStrictEqual(item);
    }
    const later = {
      role: "user",
      content: [{ type: "smell", strength: 3, data: { type: "url", url: "https://a.example/" } }],
    };
    expect(trip(later)).toStrictEqual(later);
    const nowhere = { type: "reasoning-file", mediaType: "image/png", data: { type: "url", url: "nowhere" } };
    expect(trip({ role: "assistant", content: [nowhere] })).toStrictEqual({ role: "assistant", content: [nowhere] });
  });

  test("a message's own id wins over the fallback id", () => {
    expect(decode({ role: "user", content: "x", id: "own" })[0]?.id).toBe("own");
    expect(decode({ role: "user", content: "x" })[0]?.id).toBe("f");
  });

  test("text is kept byte for byte", () => {
    for (const text of ["\ud800", "\u0000", "<|endoftext|>", "$&", "</system>", "\r\n\u2028"]) {
      expect(partsOf({ role: "user", content: text })).toEqual([{ type: "text", text }]);
    }
  });
});

describe("aiSdkModelFormat with messages from other formats", () => {
  const foreign: readonly Message[] = [
    {
      id: "1",
      role: "system",
      parts: [
        { type: "text", text: "a" },
        { type: "text", text: "b", extras: { anthropic: { x: 1 } } },
      ],
    },
    { id: "2", role: "user", name: "Ann", parts: [{ type: "image", source: { type: "reference", id: "file-9" } }] },
    {
      id: "3",
      role: "assistant",
      saidAt: 5,
      extras: { "wire:openai-chat": { refusal: null } },
      parts: [
        { type: "text", text: "looking" },
        { type: "source", id: "s", url: "https://a.example/" },
        { type: "unknown", format: "gemini", value: { executableCode: {} } },
        { type: "tool-call", callId: "c", tool: "read", input: { path: "a" }, inputText: '{ "path": "a" }' },
      ],
    },
    {
      id: "4",
      role: "tool",
      parts: [{ type: "tool-result", callId: "c", output: { type: "text", text: "gone" }, failed: true }],
    },
    { id: "5", role: "assistant", parts: [{ type: "unknown", format: "gemini", value: 1 }] },
    { id: "6", role: "assistant", parts: [] },
    {
      id: "7",
      role: "tool",
      parts: [
        {
          type: "tool-result",
          callId: "lost",
          output: {
            type: "parts",
            parts: [
              { type: "text", text: "x" },
              { type: "image", source: { type: "data", base64: "aGk=" } },
            ],
          },
          failed: false,
        },
      ],
    },
  ];

  test("takes a result's tool name from its call, and omits fields that this format lacks", () => {
    expect(encode(foreign)).toEqual([
      { role: "system", content: "a\n\nb", providerOptions: { anthropic: { x: 1 } } },
      {
        role: "user",
        content: [{ type: "file", mediaType: "image", data: { type: "reference", reference: { unknown: "file-9" } } }],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "looking" },
          { type: "tool-call", toolCallId: "c", toolName: "read", input: { path: "a" } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c", toolName: "read", output: { type: "error-text", value: "gone" } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "lost",
            toolName: "unknown",
            output: {
              type: "content",
              value: [
                { type: "text", text: "x" },
                { type: "file", mediaType: "image", data: { type: "data", data: "aGk=" } },
              ],
            },
          },
        ],
      },
    ]);
  });

  test("encodes a failed output of texts as an error, and one with an image as parts", () => {
    const text: Part = { type: "text", text: "a" };
    const image: Part = { type: "image", source: { type: "data", base64: "aGk=" } };
    const outputs = [
      [text, text],
      [text, image],
    ].map((parts) => {
      const result: Part = { type: "tool-result", callId: "c", output: { type: "parts", parts }, failed: true };
      return encode([{ id: "1", role: "tool", parts: [result] }])[0];
    });
    expect(outputs).toMatchObject([
      { content: [{ output: { type: "error-text", value: "a\na" } }] },
      { content: [{ output: { type: "content", value: [{ type: "text" }, { type: "file" }] } }] },
    ]);
  });

  test("encodes messages that the AI SDK accepts", () => {
    for (const item of encode(foreign)) expect(modelMessageSchema.safeParse(item).error).toBeUndefined();
  });
});

describe("aiSdkModelFormat with invalid input", () => {
  const result = (output: unknown) => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "c", toolName: "t", output }],
  });
  const deep = { deep: { a: () => 1 } };
  test.each<[string, unknown, string]>([
    ["a value that is not an object", "hello", "messages[3]"],
    ["an unknown role", { role: "model", content: "x" }, "messages[3].role"],
    ["a message without content", { role: "user" }, "messages[3].content"],
    ["system content that is not a string", { role: "system", content: [] }, "messages[3].content"],
    ["tool content that is a string", { role: "tool", content: "x" }, "messages[3].content"],
    ["a part that is not an object", { role: "user", content: ["x"] }, "messages[3].content[0]"],
    ["a part without a type", { role: "user", content: [{ text: "x" }] }, "messages[3].content[0].type"],
    [
      "text that is not a string",
      { role: "user", content: [{ type: "text", text: 1 }] },
      "messages[3].content[0].text",
    ],
    ["an image without data", { role: "user", content: [{ type: "image" }] }, "messages[3].content[0].image"],
    [
      "a file without a type",
      { role: "user", content: [{ type: "file", data: "x" }] },
      "messages[3].content[0].mediaType",
    ],
    [
      "data with an unknown tag",
      { role: "user", content: [{ type: "file", mediaType: "a/b", data: { type: "tape" } }] },
      "messages[3].content[0].data.type",
    ],
    [
      "an empty reference",
      { role: "user", content: [{ type: "file", mediaType: "a/b", data: {} }] },
      "messages[3].content[0].data",
    ],
    [
      "a reference that is not a string",
      {
        role: "user",
        content: [{ type: "file", mediaType: "a/b", data: { type: "reference", reference: { openai: 1 } } }],
      },
      "messages[3].content[0].data.reference.openai",
    ],
    ["a call in a user message", { role: "user", content: [{ type: "tool-call" }] }, "messages[3].content[0].type"],
    [
      "reasoning in a user message",
      { role: "user", content: [{ type: "reasoning", text: "" }] },
      "messages[3].content[0].type",
    ],
    ["text in a tool message", { role: "tool", content: [{ type: "text", text: "" }] }, "messages[3].content[0].type"],
    [
      "a call without an id",
      {
        role: "assistant",
        content: [
          { type: "text", text: "" },
          { type: "tool-call", toolName: "t", input: {} },
        ],
      },
      "messages[3].content[1].toolCallId",
    ],
    [
      "an input that is not JSON",
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input: deep }] },
      "messages[3].content[0].input.deep.a",
    ],
    [
      "a flag that is not a boolean",
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input: 1, providerExecuted: 1 }],
      },
      "messages[3].content[0].providerExecuted",
    ],
    ["a result without an output", result(undefined), "messages[3].content[0].output"],
    ["an output without a type", result({ value: 1 }), "messages[3].content[0].output.type"],
    ["a text output that is not a string", result({ type: "text", value: 1 }), "messages[3].content[0].output.value"],
    [
      "output parts that are not a list",
      result({ type: "content", value: "x" }),
      "messages[3].content[0].output.value",
    ],
    [
      "a broken output part",
      result({ type: "content", value: [{ type: "text", text: "" }, { type: "text" }] }),
      "messages[3].content[0].output.value[1].text",
    ],
    ...["file", "file-data", "image-data", "media"].map((type): [string, unknown, string] => [
      `an output part of type ${type} without a media type`,
      result({ type: "content", value: [{ type, data: { type: "data", data: "aGk=" } }] }),
      "messages[3].content[0].output.value[0].mediaType",
    ]),
    [
      "options that are not an object",
      { role: "user", content: "x", providerOptions: "x" },
      "messages[3].providerOptions",
    ],
    [
      "a provider's options that are not an object",
      { role: "user", content: "x", providerOptions: { openai: 1 } },
      "messages[3].providerOptions.openai",
    ],
    ["an id that is not a string", { role: "user", content: "x", id: 7 }, "messages[3].id"],
    ["an unknown field that is not JSON", { role: "user", content: "x", hook: () => 1 }, "messages[3].hook"],
  ])("refuses %s and names the path", (_, item, path) => {
    expect(faultPath(item)).toBe(path);
  });
});

describe("aiSdkModelFormat.recognize", () => {
  test('returns "sure" for messages that only the AI SDK writes', () => {
    for (const part of [
      { type: "tool-call", toolCallId: "c", toolName: "t", input: {} },
      { type: "reasoning", text: "x" },
      { type: "file", data: "x", mediaType: "a/b" },
      { type: "text", text: "x", providerOptions: {} },
    ]) {
      expect(recognize({ role: "assistant", content: [part] })).toBe("sure");
    }
    expect(recognize({ role: "tool", content: [{ type: "tool-result", toolCallId: "c" }] })).toBe("sure");
    expect(recognize({ role: "user", content: "x", providerOptions: {} })).toBe("sure");
  });

  test('returns "possible" for plain messages', () => {
    expect(recognize({ role: "system", content: "x" })).toBe("possible");
    expect(recognize({ role: "user", content: [{ type: "text", text: "x" }] })).toBe("possible");
  });

  test('returns "no" for messages of other formats', () => {
    for (const item of [
      { role: "assistant", content: "", tool_calls: [] },
      { role: "tool", content: "x", tool_call_id: "c" },
      { role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] },
      { role: "user", content: [{ type: "image", source: {} }] },
      { role: "user", parts: [{ type: "text", text: "x" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "x" }] },
      { role: "model", content: "x" },
      null,
      "x",
    ]) {
      expect(recognize(item)).toBe("no");
    }
  });
});
