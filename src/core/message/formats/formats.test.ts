import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Message } from "../message.ts";
import { FORMAT_NAMES } from "./format.ts";
import { FORMATS, requireFormat } from "./formats.ts";

describe("FORMATS", () => {
  test("contains each format under its own name", () => {
    expect(Object.keys(FORMATS)).toEqual([...FORMAT_NAMES]);
    for (const name of FORMAT_NAMES) expect(FORMATS[name].name).toBe(name);
  });

  test("every format restores a plain exchange", () => {
    const messages: readonly Message[] = [
      { id: "1", role: "user", parts: [{ type: "text", text: "What is 2 + 2? $& \ud800" }] },
      { id: "2", role: "assistant", parts: [{ type: "text", text: "4 </answer>" }] },
    ];
    for (const format of Object.values(FORMATS)) {
      const items = format.encode(messages);
      const back = items.flatMap((item, index) =>
        format.decode(item, { path: `messages[${index}]`, fallbackId: `${index}` }),
      );
      expect(
        back.map(({ role, parts }) => ({ role, parts })),
        format.name,
      ).toMatchObject(messages.map(({ role, parts }) => ({ role, parts })));
    }
  });

  test("every format restores a tool call and its result", () => {
    const messages: readonly Message[] = [
      { id: "1", role: "user", parts: [{ type: "text", text: "read a" }] },
      { id: "2", role: "assistant", parts: [{ type: "tool-call", callId: "c", tool: "read", input: { path: "a" } }] },
      {
        id: "3",
        role: "tool",
        parts: [{ type: "tool-result", callId: "c", tool: "read", output: { type: "text", text: "x" }, failed: false }],
      },
    ];
    for (const format of Object.values(FORMATS)) {
      const back = format
        .encode(messages)
        .flatMap((item, index) => format.decode(item, { path: `messages[${index}]`, fallbackId: `${index}` }));
      const call = back.flatMap((message) => message.parts).find((part) => part.type === "tool-call");
      const result = back.flatMap((message) => message.parts).find((part) => part.type === "tool-result");
      expect(call, format.name).toMatchObject({ tool: "read", input: { path: "a" } });
      expect(JSON.stringify(result?.output), format.name).toContain("x");
    }
  });
});

/** Generates messages that no decoder creates, with extras of any format. */
const strangeMessages = (() => {
  const words = fc.constantFrom(
    ...["type", "content", "id", "parts", "starts", "steering", "data", "image", "output", "fields", "input", "state"],
    ...[
      "approval",
      "as",
      "head",
      "reference",
      "block",
      "keys",
      "args",
      "index",
      "entry",
      "wrapping",
      "nulls",
      "removal",
    ],
    ...["toolCallId", "approvalId", "url", "providerOptions", "metadata", "toString", "tool-approval-request", "lc"],
    ...["tool-approval-response", "custom", "reasoning-file", "ai-sdk-model", "ai-sdk-ui", "langchain", "message"],
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      words,
      fc.constantFrom(null, true, 1e9, -1, "", "data:x;base64,"),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(words, tie("json"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const fields = fc.dictionary(words, json, { maxKeys: 4, noNullPrototype: true });
  const extrasNames = [...FORMAT_NAMES.map((name) => `wire:${name}`), "anthropic", "openai", "google"];
  const extras = fc.option(fc.dictionary(fc.constantFrom(...extrasNames), fields), { nil: undefined });
  const source = fc.oneof(
    fc.record({ type: fc.constant("data" as const), base64: words }),
    fc.record({ type: fc.constant("url" as const), url: words }),
    fc.record({ type: fc.constant("reference" as const), id: words }),
  );
  const unknown = fc.record({ type: fc.constant("unknown" as const), format: words, value: json });
  const text = fc.record({ type: fc.constant("text" as const), text: words, extras });
  const image = fc.record({ type: fc.constant("image" as const), source, extras });
  const file = fc.record({ type: fc.constant("file" as const), source, mediaType: words, extras });
  const output = fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: words }),
    fc.record({ type: fc.constant("json" as const), value: json }),
    fc.record({ type: fc.constant("parts" as const), parts: fc.array(fc.oneof(text, image, file, unknown)) }),
  );
  const part = fc.oneof(
    ...[text, image, file, unknown],
    fc.record({ type: fc.constant("reasoning" as const), text: words, extras }),
    fc.record({ type: fc.constant("source" as const), id: words, extras }),
    fc.record({ type: fc.constant("tool-call" as const), callId: words, tool: words, input: json, extras }),
    fc.record({ type: fc.constant("tool-result" as const), callId: words, output, failed: fc.boolean(), extras }),
  );
  const roles = fc.constantFrom("system" as const, "user" as const, "assistant" as const, "tool" as const);
  return fc.array(fc.record({ id: words, role: roles, parts: fc.array(part, { maxLength: 4 }), extras }), {
    maxLength: 4,
  });
})();

describe("encode", () => {
  test("never throws, whatever the messages and their extras contain", () => {
    fc.assert(
      fc.property(strangeMessages, (messages) => {
        for (const format of Object.values(FORMATS)) {
          expect(Array.isArray(format.encode(messages as readonly Message[])), format.name).toBe(true);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("requireFormat", () => {
  test("finds a format by its name", () => {
    expect(requireFormat("gemini")).toBe(FORMATS.gemini);
  });

  test("lists the known names if the name is unknown", () => {
    for (const name of ["openai", "constructor", "__proto__", ""]) {
      try {
        requireFormat(name);
        expect.unreachable();
      } catch (error) {
        if (!(error instanceof PalimpsestError)) throw error;
        expect(error.code).toBe("config-invalid");
        expect(error.message).toContain("openai-chat, openai-responses");
      }
    }
  });
});
