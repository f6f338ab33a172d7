import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Message, Part } from "../message.ts";
import { aiSdkModelFormat } from "./ai-sdk-model.ts";
import { langChainFormat } from "./langchain.ts";

const { recognize, encode } = langChainFormat;
const decode = (item: unknown): readonly Message[] =>
  langChainFormat.decode(item, { path: "messages[3]", fallbackId: "f" });
const partsOf = (item: unknown): readonly Part[] => decode(item)[0]?.parts ?? [];
const trip = (item: unknown): unknown => encode(decode(item));

function faultPath(item: unknown): unknown {
  try {
    decode(item);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "message-invalid") return error.details.path;
    throw error;
  }
  return undefined;
}

/** Looks like an instance of LangChain's message classes. Decoding must call only `_getType`. */
class LookalikeMessage {
  readonly lc_namespace = ["langchain_core", "messages"];
  readonly lc_serializable = true;
  readonly lc_kwargs: object;
  readonly content: unknown;
  readonly additional_kwargs = {};
  readonly response_metadata = {};
  readonly #type: string;

  constructor(type: string, fields: { readonly content: unknown }) {
    this.#type = type;
    this.lc_kwargs = { ...fields, circular: this };
    this.content = fields.content;
    Object.assign(this, fields);
  }

  _getType(): string {
    return this.#type;
  }

  toJSON(): unknown {
    throw new Error("Decoding must not call toJSON.");
  }

  get text(): string {
    throw new Error("Decoding must not read text.");
  }
}

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("", "\u0000", "\ud800", "<|endoftext|>", "$&", "</tool>"),
);
const json: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
const names = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const defined = (item: object): object =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
const record = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { noNullPrototype: true }).map(defined);
const dictionary = fc.dictionary(names, json, { maxKeys: 2, noNullPrototype: true });
const base64 = fc.base64String();
const dataUrls = base64.map((data) => `data:image/png;base64,${data}`);
const urls = fc.oneof(fc.webUrl(), dataUrls);

const textBlock = record({
  type: fc.constant("text"),
  text: texts,
  index: maybe(fc.nat()),
  cache_control: maybe(json),
});
const mediaBlocks = fc.oneof(
  record({
    type: fc.constant("image_url"),
    image_url: fc.oneof(urls, record({ url: urls, detail: maybe(fc.constant("low")) })),
  }),
  record({
    type: fc.constantFrom("image", "file", "audio"),
    source_type: fc.constant("base64"),
    data: base64,
    mime_type: maybe(fc.constant("image/png")),
  }),
  record({
    type: fc.constantFrom("image", "file"),
    source_type: fc.constant("url"),
    url: urls,
    metadata: maybe(dictionary),
  }),
  record({ type: fc.constantFrom("image", "file"), source_type: fc.constant("id"), id: fc.string() }),
  record({
    type: fc.constantFrom("image", "video", "file"),
    mimeType: fc.constant("video/mp4"),
    data: base64,
    id: maybe(fc.string()),
  }),
  record({ type: fc.constantFrom("image", "file"), fileId: fc.string(), id: maybe(fc.string()) }),
  record({
    type: fc.constantFrom("image", "document"),
    source: record({ type: fc.constant("base64"), media_type: fc.constant("image/png"), data: base64 }),
  }),
  record({
    type: fc.constant("document"),
    source: record({ type: fc.constant("text"), media_type: fc.constant("text/plain"), data: texts }),
  }),
);
const strangeBlocks = fc.oneof(
  texts,
  record({ type: fc.constant("input_json_delta"), index: fc.nat(), input: texts }),
  record({ type: fc.constant("text-plain"), text: texts, title: maybe(fc.string()) }),
  record({ type: fc.constant("file"), source_type: fc.constant("text"), text: texts }),
  record({ type: names, value: json }),
  dictionary,
);
const modelBlocks = fc.oneof(
  textBlock,
  mediaBlocks,
  strangeBlocks,
  record({ type: fc.constant("thinking"), thinking: texts, signature: maybe(fc.string()), index: maybe(fc.nat()) }),
  record({ type: fc.constant("redacted_thinking"), data: fc.string() }),
  record({ type: fc.constant("reasoning"), reasoning: texts, index: maybe(fc.nat()) }),
  record({ type: fc.constant("reasoning"), summary: json }),
  record({ type: fc.constant("tool_use"), id: fc.uuid(), name: names, input: fc.oneof(json, fc.string()) }),
  record({ type: fc.constant("tool_call"), id: fc.uuid(), name: names, args: json }),
  record({ type: fc.constant("server_tool_call"), id: fc.uuid(), name: names, args: json }),
  record({
    type: fc.constant("server_tool_call_result"),
    toolCallId: fc.uuid(),
    status: fc.constantFrom("success", "error"),
    output: json,
  }),
);
const content = <Block>(block: fc.Arbitrary<Block>) => fc.oneof(texts, fc.array(block, { maxLength: 4 }));
const shared = {
  id: maybe(fc.oneof(fc.string(), fc.constant(null))),
  additional_kwargs: maybe(dictionary),
  response_metadata: maybe(dictionary),
};
const name = maybe(fc.oneof(fc.string(), fc.constant(null)));
const entry = record({
  name: names,
  args: maybe(json),
  id: maybe(fc.oneof(fc.uuid(), fc.constant(null))),
  type: maybe(fc.constant("tool_call")),
  later: maybe(json),
});
const human = record({ content: content(fc.oneof(textBlock, mediaBlocks, strangeBlocks)), name, ...shared });
const tool = record({
  content: content(fc.oneof(textBlock, mediaBlocks, strangeBlocks)),
  tool_call_id: fc.string(),
  name,
  status: maybe(fc.constantFrom("success", "error", null)),
  artifact: maybe(json),
  ...shared,
});
/** Repeats some of the calls in the content, in any order, as providers do. */
const ai = fc
  .tuple(
    record({
      content: content(modelBlocks),
      name,
      tool_calls: maybe(fc.oneof(fc.array(entry, { maxLength: 3 }), fc.constant(null))),
      invalid_tool_calls: maybe(fc.array(dictionary, { maxLength: 1 })),
      usage_metadata: maybe(dictionary),
      ...shared,
    }),
    fc.uniqueArray(fc.nat({ max: 3 }), { maxLength: 3 }),
    fc.constantFrom("tool_use", "tool_call"),
  )
  .map(([fields, places, type]) => {
    const { content, tool_calls: calls } = fields as {
      content: unknown;
      tool_calls?: Record<string, unknown>[] | null;
    };
    if (!Array.isArray(content) || !Array.isArray(calls)) return fields;
    const blocks = places.flatMap((place) => {
      const call = calls[place];
      return call === undefined
        ? []
        : [{ type, id: call.id, name: call.name, [type === "tool_use" ? "input" : "args"]: call.args }];
    });
    return { ...fields, content: [...blocks.map(defined), ...content] };
  });

const kinds = [
  { type: "human", class: "HumanMessage", fields: human },
  { type: "ai", class: "AIMessage", fields: ai },
  { type: "ai", class: "AIMessageChunk", fields: ai },
  { type: "system", class: "SystemMessage", fields: human },
  { type: "tool", class: "ToolMessage", fields: tool },
  { type: "function", class: "FunctionMessage", fields: record({ content: texts, name: names, ...shared }) },
  {
    type: "generic",
    class: "ChatMessage",
    fields: record({ content: texts, role: fc.constantFrom("critic", "user", "assistant"), name, ...shared }),
  },
  { type: "remove", class: "RemoveMessage", fields: record({ id: fc.string(), content: fc.constant([]) }) },
];
const wire = fc.oneof(
  ...kinds.flatMap(({ type, class: className, fields }) => [
    fields.map((inner) => ({ type, ...inner })),
    fields.map((inner) => ({ type, data: inner })),
    fields.map((inner) => ({
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", className],
      kwargs: inner,
    })),
  ]),
  human.map((inner) => ({ role: "user", ...inner })),
  ai.map((inner) => ({ role: "assistant", ...inner })),
);

describe("langChainFormat", () => {
  test("decodes and encodes every stored, serialized and plain message without a change", () => {
    fc.assert(
      fc.property(wire, (item) => {
        expect(trip(item)).toStrictEqual([item]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("restores every message after a JSON round trip", () => {
    fc.assert(
      fc.property(wire, (item) => {
        expect(encode(JSON.parse(JSON.stringify(decode(item))))).toEqual([item]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("recognizes every form of its messages", () => {
    fc.assert(
      fc.property(wire, (item) => {
        expect(recognize(item)).not.toBe("no");
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("decodes each call once, even if the message repeats it", () => {
    fc.assert(
      fc.property(ai, (fields) => {
        const { tool_calls: calls } = fields as { tool_calls?: { id?: string }[] | null };
        const known = new Set((calls ?? []).flatMap((call) => (typeof call.id === "string" ? [call.id] : [])));
        const foundCalls = partsOf({ type: "ai", ...fields }).flatMap((part) =>
          part.type === "tool-call" ? [part] : [],
        );
        for (const id of known) {
          expect(foundCalls.filter((call) => call.callId === id)).toHaveLength(1);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("the forms of a LangChain message", () => {
  const calls = [{ name: "read", args: { path: "a" }, id: "c", type: "tool_call" }];

  test("an instance is decoded through its public methods", () => {
    const item = new LookalikeMessage("ai", { content: "looking", tool_calls: calls, id: "m" } as { content: unknown });
    expect(recognize(item)).toBe("sure");
    expect(decode(item)).toMatchObject([
      {
        id: "m",
        role: "assistant",
        parts: [
          { type: "text", text: "looking" },
          { type: "tool-call", callId: "c", tool: "read", input: { path: "a" } },
        ],
      },
    ]);
    expect(trip(item)).toEqual([
      { type: "ai", content: "looking", tool_calls: calls, id: "m", additional_kwargs: {}, response_metadata: {} },
    ]);
  });

  test("every form of the same message decodes to the same parts", () => {
    const fields = { content: "looking", tool_calls: calls, id: "m", usage_metadata: { total_tokens: 3 } };
    const forms = [
      { type: "ai", ...fields },
      { type: "ai", data: fields },
      { lc: 1, type: "constructor", id: ["langchain_core", "messages", "AIMessageChunk"], kwargs: fields },
      { role: "assistant", ...fields },
      { role: "ai", ...fields },
    ];
    const history = forms.map((form) => decode(form).map(({ id, role, parts }) => ({ id, role, parts })));
    for (const one of history) expect(one).toEqual(history[0]);
    for (const form of forms) expect(trip(form)).toEqual([form]);
  });

  test("a tool message becomes one result that keeps its artifact and status", () => {
    const item = {
      type: "tool",
      content: "boom",
      tool_call_id: "c",
      name: "read",
      status: "error",
      artifact: { rows: [1, 2] },
    };
    expect(decode(item)).toMatchObject([
      {
        role: "tool",
        parts: [
          { type: "tool-result", callId: "c", tool: "read", output: { type: "text", text: "boom" }, failed: true },
        ],
        extras: { "wire:langchain": { artifact: { rows: [1, 2] } } },
      },
    ]);
    expect(trip(item)).toEqual([item]);
  });

  test("a tool output of several blocks becomes parts", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    ];
    expect(partsOf({ type: "tool", content, tool_call_id: "c" })).toMatchObject([
      {
        output: {
          type: "parts",
          parts: [
            { type: "text", text: "a" },
            { type: "image", source: { type: "data", base64: "aGk=" }, mediaType: "image/png" },
          ],
        },
      },
    ]);
  });

  test("a call that is both a content block and a tool call is decoded once, at the block's place", () => {
    const item = {
      type: "ai",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "tool_use", id: "c", name: "read", input: { path: "a" } },
        { type: "text", text: "after" },
      ],
      tool_calls: calls,
    };
    expect(partsOf(item)).toMatchObject([
      { type: "reasoning", text: "hm", extras: { anthropic: { signature: "s" } } },
      { type: "tool-call", callId: "c", input: { path: "a" } },
      { type: "text", text: "after" },
    ]);
    expect(trip(item)).toEqual([item]);
  });

  test("calls that exist only in additional_kwargs are decoded from there", () => {
    const additional_kwargs = {
      tool_calls: [{ id: "c", type: "function", function: { name: "read", arguments: '{ "path": "a" }' } }],
    };
    const item = { type: "ai", content: "", additional_kwargs };
    expect(partsOf(item)).toMatchObject([
      { type: "tool-call", callId: "c", tool: "read", input: { path: "a" }, inputText: '{ "path": "a" }' },
    ]);
    expect(trip(item)).toEqual([item]);
  });

  test("a function message answers the function call of the same name", () => {
    const items = [
      { type: "ai", content: "", additional_kwargs: { function_call: { name: "read", arguments: "{}" } } },
      { type: "function", content: "text of a", name: "read" },
    ];
    const [call, answer] = items.flatMap(partsOf);
    expect(call).toMatchObject({ type: "tool-call", callId: "function:read" });
    expect(answer).toMatchObject({ type: "tool-result", callId: "function:read" });
    expect(items.flatMap(trip as (item: unknown) => unknown[])).toEqual(items);
  });

  test("a message with an unknown role becomes a user message with that name", () => {
    const item = { type: "generic", role: "critic", content: "weak" };
    expect(decode(item)).toMatchObject([{ role: "user", name: "critic", parts: [{ type: "text", text: "weak" }] }]);
    expect(decode({ type: "generic", role: "assistant", content: "x" })).toMatchObject([{ role: "assistant" }]);
    expect(trip(item)).toEqual([item]);
  });

  test("a RemoveMessage gets a new id instead of the id that it removes", () => {
    const item = { type: "remove", id: "m1", content: [] };
    expect(decode(item)).toMatchObject([{ id: "f", parts: [{ type: "unknown" }] }]);
    expect(trip(item)).toEqual([item]);
    expect(aiSdkModelFormat.encode(decode(item))).toEqual([]);
  });

  test.each([
    [
      "an image URL",
      { type: "image_url", image_url: "https://a.example/" },
      { type: "image", source: { type: "url", url: "https://a.example/" } },
    ],
    [
      "an image as bytes",
      { type: "image", mimeType: "image/png", data: new Uint8Array([104, 105]) },
      { type: "image", source: { type: "data", base64: "aGk=" } },
    ],
    [
      "Anthropic's image",
      { type: "image", source: { type: "url", url: "https://a.example/" } },
      { type: "image", source: { type: "url" } },
    ],
    [
      "a file of the first generation",
      { type: "file", source_type: "base64", mime_type: "text/csv", data: "aGk=", metadata: { filename: "a.csv" } },
      { type: "file", mediaType: "text/csv", name: "a.csv" },
    ],
    ["a file by id", { type: "file", fileId: "f-1" }, { type: "file", source: { type: "reference", id: "f-1" } }],
    [
      "OpenAI's audio",
      { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } },
      { type: "file", mediaType: "audio/wav" },
    ],
    ["plain text", { type: "text-plain", text: "a", title: "t" }, { type: "text", text: "a" }],
    ["reasoning", { type: "reasoning", reasoning: "hm" }, { type: "reasoning", text: "hm" }],
    [
      "hidden reasoning",
      { type: "redacted_thinking", data: "x" },
      { type: "reasoning", text: "", extras: { anthropic: { redactedData: "x" } } },
    ],
    [
      "a tool call that the provider ran",
      { type: "server_tool_call", id: "c", name: "web", args: {} },
      { type: "tool-call", byProvider: true },
    ],
    [
      "the result of a tool that the provider ran",
      { type: "server_tool_call_result", toolCallId: "c", status: "success", output: [1] },
      { type: "tool-result", callId: "c", output: { type: "json", value: [1] }, failed: false, byProvider: true },
    ],
    ["a block of an unknown type", { type: "hologram", depth: 1 }, { type: "unknown", format: "langchain" }],
  ])("decodes %s", (_, block, expected) => {
    expect(partsOf({ type: "ai", content: [block] })).toMatchObject([expected]);
  });

  test("a text block becomes a text part without extras", () => {
    expect(partsOf({ type: "human", content: [{ type: "text", text: "a" }] })).toEqual([{ type: "text", text: "a" }]);
  });

  test("media without a type get the most specific type that their block allows", () => {
    const types = ["audio", "video", "file"].map(
      (type) => partsOf({ type: "human", content: [{ type, url: "https://a.example/" }] })[0],
    );
    expect(types).toMatchObject([
      { mediaType: "audio" },
      { mediaType: "video" },
      { mediaType: "application/octet-stream" },
    ]);
  });

  test("a provider's tool result that is neither a success nor an error is kept unchanged", () => {
    const block = { type: "server_tool_call_result", toolCallId: "c", status: "pending", output: 1 };
    expect(partsOf({ type: "ai", content: [block] })).toEqual([{ type: "unknown", format: "langchain", value: block }]);
  });

  test("a message's own id wins over the fallback id", () => {
    expect(decode({ type: "human", content: "x", id: "own" })[0]?.id).toBe("own");
    expect(decode({ type: "human", content: "x" })[0]?.id).toBe("f");
  });
});

describe("langChainFormat with messages from other formats", () => {
  const image: Part = { type: "image", source: { type: "data", base64: "aGk=" }, mediaType: "image/png" };
  const messages: readonly Message[] = [
    { id: "1", role: "system", parts: [{ type: "text", text: "be kind" }] },
    { id: "2", role: "user", name: "ann", parts: [{ type: "text", text: "look" }, image] },
    {
      id: "3",
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm", extras: { anthropic: { signature: "s" } } },
        { type: "text", text: "looking" },
        { type: "tool-call", callId: "c1", tool: "read", input: { path: "a" }, inputText: '{"path": "a"}' },
        { type: "tool-call", callId: "w", tool: "web", input: {}, byProvider: true },
        { type: "unknown", format: "gemini", value: 1 },
      ],
    },
    {
      id: "4",
      role: "tool",
      parts: [
        { type: "tool-result", callId: "c1", tool: "read", output: { type: "json", value: { ok: 1 } }, failed: false },
        { type: "tool-result", callId: "c2", output: { type: "text", text: "no" }, failed: true },
      ],
    },
    { id: "5", role: "assistant", parts: [{ type: "unknown", format: "gemini", value: 1 }] },
  ];

  test("writes plain messages of LangChain's own types, one for each tool result", () => {
    expect(encode(messages)).toEqual([
      { type: "system", content: "be kind" },
      {
        type: "human",
        name: "ann",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
        ],
      },
      {
        type: "ai",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "text", text: "looking" },
          { type: "server_tool_call", id: "w", name: "web", args: {} },
        ],
        tool_calls: [{ name: "read", args: { path: "a" }, id: "c1", type: "tool_call" }],
      },
      { type: "tool", content: '{"ok":1}', tool_call_id: "c1", name: "read" },
      { type: "tool", content: "no", tool_call_id: "c2", status: "error" },
    ]);
  });
});

describe("langChainFormat with files from other formats", () => {
  test.each<[Part, object]>([
    [
      { type: "file", source: { type: "data", base64: "aGk=" }, mediaType: "text/csv", name: "a.csv" },
      { type: "file", source_type: "base64", data: "aGk=", mime_type: "text/csv", metadata: { filename: "a.csv" } },
    ],
    [
      { type: "file", source: { type: "url", url: "https://a.example/" }, mediaType: "text/csv" },
      { type: "file", source_type: "url", url: "https://a.example/", mime_type: "text/csv" },
    ],
    [
      { type: "image", source: { type: "reference", id: "f-1" } },
      { type: "image", source_type: "id", id: "f-1" },
    ],
    [
      // An incomplete note is ignored.
      {
        type: "image",
        source: { type: "url", url: "https://a.example/" },
        extras: { "wire:langchain": { block: {} } },
      },
      { type: "image_url", image_url: { url: "https://a.example/" } },
    ],
  ])("encodes %j", (part, block) => {
    expect(encode([{ id: "1", role: "user", parts: [part] }])).toEqual([{ type: "human", content: [block] }]);
  });

  test("a field that was null is written with its new value, or null again", () => {
    const [message] = decode({ type: "ai", content: null, name: null });
    const parts: readonly Part[] = [{ type: "text", text: "now" }];
    expect(encode([{ ...(message as Message), parts }])).toEqual([{ type: "ai", content: "now", name: null }]);
  });
});

describe("langChainFormat with invalid input", () => {
  const ai = (fields: object) => ({ type: "ai", content: "", ...fields });
  test.each<[string, unknown, string]>([
    ["a value that is not an object", 1, "messages[3]"],
    ["an unknown type", { type: "martian", content: "x" }, "messages[3].type"],
    ["an unknown role", { role: "martian", content: "x" }, "messages[3].role"],
    ["a message with neither type nor role", { content: "x" }, "messages[3].type"],
    ["an unknown class", { lc: 1, type: "constructor", id: ["a", "Martian"], kwargs: {} }, "messages[3].id"],
    ["content that is a number", { type: "human", content: 5 }, "messages[3].content"],
    ["stored content that is a number", { type: "human", data: { content: 5 } }, "messages[3].data.content"],
    [
      "serialized content that is an object",
      { lc: 1, type: "constructor", id: ["a", "AIMessage"], kwargs: { content: {} } },
      "messages[3].kwargs.content",
    ],
    ["a block that is not an object", { type: "human", content: [1] }, "messages[3].content[0]"],
    [
      "text that is not a string",
      { type: "human", content: ["x", { type: "text", text: 1 }] },
      "messages[3].content[1].text",
    ],
    ["a thinking block without text", ai({ content: [{ type: "thinking" }] }), "messages[3].content[0].thinking"],
    ["tool calls that are not a list", ai({ tool_calls: {} }), "messages[3].tool_calls"],
    ["a call without a name", ai({ tool_calls: [{ args: {} }] }), "messages[3].tool_calls[0].name"],
    [
      "arguments that are not JSON",
      ai({ tool_calls: [{ name: "t", args: { a: 1n } }] }),
      "messages[3].tool_calls[0].args.a",
    ],
    [
      "a provider's call without arguments",
      ai({ tool_calls: [{ id: "c", function: { name: "t" } }] }),
      "messages[3].tool_calls[0].function.arguments",
    ],
    ["a result without a call", { type: "tool", content: "x" }, "messages[3].tool_call_id"],
    ["a function message without a name", { type: "function", content: "x" }, "messages[3].name"],
    ["a name that is not a string", { type: "human", content: "x", name: 1 }, "messages[3].name"],
    ["an id that is not a string", { type: "human", data: { content: "x", id: 1 } }, "messages[3].data.id"],
    ["a RemoveMessage without an id", { type: "remove" }, "messages[3].id"],
    [
      "an artifact that is not JSON",
      { type: "tool", content: "", tool_call_id: "c", artifact: { run: () => 1 } },
      "messages[3].artifact.run",
    ],
  ])("refuses %s and names the path", (_, item, path) => {
    expect(faultPath(item)).toBe(path);
  });
});

describe("langChainFormat.recognize", () => {
  test('returns "no" for messages of other formats', () => {
    for (const item of [
      { role: "user", parts: [{ type: "text", text: "x" }] },
      { type: "message", role: "user", content: [] },
      { type: "function_call", call_id: "c", name: "t", arguments: "{}" },
      { role: "model", parts: [] },
      { role: "tool", content: [] },
      { role: "generic", content: "x" },
      { role: "remove", content: "x" },
      { role: "martian", content: "x" },
      { role: "user", content: [1] },
      { role: "user", content: { text: "x" } },
      "x",
      null,
    ]) {
      expect(recognize(item)).toBe("no");
    }
  });

  test('returns "possible" for messages with a role, and "sure" for calls that only LangChain writes', () => {
    expect(recognize({ role: "user", content: "x" })).toBe("possible");
    expect(recognize({ role: "assistant", content: "", tool_calls: [{ name: "t", args: {}, id: "c" }] })).toBe("sure");
  });
});
