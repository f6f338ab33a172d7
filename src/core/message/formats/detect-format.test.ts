import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Message } from "../message.ts";
import { detectFormat } from "./detect-format.ts";
import { FORMAT_NAMES, type FormatName } from "./format.ts";
import { FORMATS } from "./formats.ts";

function fault(items: readonly unknown[]): PalimpsestError | undefined {
  try {
    detectFormat(items);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "message-invalid") return error;
    throw error;
  }
  return undefined;
}

const plain = [
  { role: "system", content: "Be kind." },
  { role: "user", content: "hi" },
  { role: "assistant", content: "hello" },
];

/** Our own messages look like another format's, so they are never detected. */
type GuessedName = Exclude<FormatName, "palimpsest">;
const guessedNames = FORMAT_NAMES.filter((name): name is GuessedName => name !== "palimpsest");

const marked: Readonly<Record<GuessedName, unknown>> = {
  "ai-sdk-model": { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input: {} }] },
  "ai-sdk-ui": { id: "a", role: "assistant", parts: [{ type: "text", text: "x" }] },
  "openai-chat": {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c", type: "function", function: { name: "t", arguments: "{}" } }],
  },
  "openai-responses": { type: "function_call", call_id: "c", name: "t", arguments: "{}" },
  "openai-agents": { type: "function_call", callId: "c", name: "t", arguments: "{}" },
  anthropic: { role: "assistant", content: [{ type: "tool_use", id: "c", name: "t", input: {} }] },
  gemini: { role: "model", parts: [{ functionCall: { name: "t", args: {} } }] },
  langchain: { type: "ai", content: "", tool_calls: [{ name: "t", args: {}, id: "c" }] },
};

describe("detectFormat", () => {
  test("detects each format by one characteristic item anywhere in the list", () => {
    for (const name of guessedNames) {
      expect(detectFormat([marked[name]])).toBe(name);
    }
    for (const name of ["ai-sdk-model", "openai-chat", "anthropic", "langchain"] as const) {
      expect(detectFormat([...plain, marked[name]])).toBe(name);
      expect(detectFormat([marked[name], ...plain])).toBe(name);
    }
  });

  test("reads a list with marks of a format and of its variant as the variant", () => {
    const message = { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] };
    expect(detectFormat([message])).toBe("openai-responses");
    for (const items of [
      [message, marked["openai-agents"]],
      [marked["openai-agents"], message],
    ]) {
      expect(detectFormat(items)).toBe("openai-agents");
    }
    expect(fault([marked["openai-responses"], marked["openai-agents"]])?.message).toContain("messages[0]");
  });

  test("treats plain messages as AI SDK messages, and returns undefined for an empty list", () => {
    expect(detectFormat(plain)).toBe("ai-sdk-model");
    expect(detectFormat([{ role: "user", content: [{ type: "text", text: "x" }] }])).toBe("ai-sdk-model");
    expect(detectFormat([])).toBeUndefined();
  });

  test("chooses the first format that can read every item if no item is characteristic", () => {
    const image = { role: "user", content: [{ type: "image_url", image_url: { url: "https://a.example/" } }] };
    expect(detectFormat([...plain, image])).toBe("openai-chat");
    expect(detectFormat([{ role: "developer", content: "Be kind." }, ...plain])).toBe("openai-chat");
  });

  test("every format that accepts plain messages decodes them the same way", () => {
    const items = [...plain, { role: "assistant", content: "" }, { role: "user", content: "\u0000 \ud800" }];
    const formats = FORMAT_NAMES.filter((name) => items.every((item) => FORMATS[name].recognize(item) !== "no"));
    expect(formats.length).toBeGreaterThan(2);
    const readings = formats.map((name) =>
      items.flatMap((item, index) =>
        FORMATS[name]
          .decode(item, { path: `messages[${index}]`, fallbackId: `f${index}` })
          .map(({ id, role, parts }: Message) => ({
            id,
            role,
            parts: parts.map((part) => ({ ...part, extras: undefined })),
          })),
      ),
    );
    for (const reading of readings) expect(reading).toEqual(readings[0]);
  });

  test("refuses a list with two formats and names the path of each", () => {
    for (const [one, other] of [
      ["ai-sdk-model", "openai-chat"],
      ["anthropic", "openai-chat"],
      ["ai-sdk-ui", "gemini"],
      ["langchain", "anthropic"],
    ] as const) {
      const error = fault([marked[one], ...plain, marked[other]]);
      expect(error?.details.paths).toEqual(["messages[0]", "messages[4]"]);
      expect(error?.message).toContain("messages[0]");
      expect(error?.message).toContain("messages[4]");
    }
  });

  test.each<[string, readonly unknown[], string]>([
    ["a string", [...plain, "hi"], "messages[3]"],
    ["undefined", [undefined], "messages[0]"],
    ["an object that is not a message", [plain[0], { hello: "world" }], "messages[1].role"],
    ["an unknown role", [{ role: "martian", content: "x" }], "messages[0].role"],
    ["a list", [[]], "messages[0]"],
    ["content that is a number", [plain[0], { role: "user", content: 5 }], "messages[1].content"],
  ])("refuses %s and names its path", (_, items, path) => {
    expect(fault(items)?.details.path).toBe(path);
  });

  test("refuses a list that no single format can read, and names the first item that does not fit", () => {
    const empty = { id: "a", role: "assistant", parts: [] };
    expect(fault([plain[1], empty])?.details.path).toBe("messages[1]");
  });

  test("returns a format or throws message-invalid for any input", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.anything(), fc.constantFrom(...plain, ...Object.values(marked)))), (items) => {
        const error = fault(items);
        if (error !== undefined) expect(error.details.path).toMatch(/^messages\[\d+\](?:\.role|\.content)?$/);
        else expect([undefined, ...FORMAT_NAMES]).toContain(detectFormat(items));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("does not change a certain format when the list grows", () => {
    const items = fc.array(fc.constantFrom(...plain, marked.anthropic));
    fc.assert(
      fc.property(items, fc.nat({ max: 10 }), (all, length) => {
        const short = detectFormat(all.slice(0, length));
        if (short === "anthropic") expect(detectFormat(all)).toBe("anthropic");
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("decode", () => {
  test("returns messages or throws message-invalid with the item's path, for any input and format", () => {
    const keys = fc.constantFrom(
      ...["role", "type", "content", "parts", "id", "tool_calls", "tool_call_id", "text", "input", "output", "name"],
      ...[
        "toolCallId",
        "toolName",
        "state",
        "data",
        "mediaType",
        "url",
        "kwargs",
        "lc",
        "args",
        "function",
        "approval",
      ],
    );
    const words = fc.constantFrom(
      ...["user", "assistant", "tool", "system", "ai", "human", "text", "tool-call", "tool-result", "tool-x", "file"],
      ...["image", "dynamic-tool", "output-available", "output-error", "json", "content", "constructor", "thinking"],
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        words,
        fc.constantFrom(null, 1, "", undefined),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(keys, tie("tree"), { maxKeys: 5 }),
      ),
    }));
    const item = fc
      .tuple(tree, fc.dictionary(keys, tree, { maxKeys: 4 }), words, fc.array(tree))
      .map(([content, fields, role, parts]) => ({ role, type: role, content, parts, ...fields }));
    fc.assert(
      fc.property(fc.oneof(item, fc.anything()), (value) => {
        for (const name of FORMAT_NAMES) expectDecoded(name, value);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

function expectDecoded(name: FormatName, value: unknown): void {
  try {
    const messages = FORMATS[name].decode(value, { path: "messages[7]", fallbackId: "f" });
    expect(messages.length).toBeGreaterThan(0);
    expect(Array.isArray(FORMATS[name].encode(messages))).toBe(true);
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw new Error(`${name} threw something else`, { cause: error });
    expect(error.code).toBe("message-invalid");
    expect(String(error.details.path)).toMatch(/^messages\[7\]/);
  }
}
