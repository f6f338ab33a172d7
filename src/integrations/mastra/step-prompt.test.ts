import { describe, expect, test } from "vitest";
import { decodeInput } from "../../core/message/formats/decode-input.ts";
import { renderPrompt } from "../../core/prompt/render/render-prompt.ts";
import { findCallFormat } from "./step-prompt.ts";

const PNG = { data: "aGk=", mediaType: "image/png" };
const call = { toolCallId: "call_1", toolName: "look" };

function write(version: string, output: object) {
  const items = [
    {
      role: "user",
      content: [
        { type: "text", text: "Look." },
        { type: "file", ...PNG },
      ],
    },
    { role: "assistant", content: [{ type: "tool-call", ...call, input: {} }] },
    { role: "tool", content: [{ type: "tool-result", ...call, output }] },
  ];
  const { messages } = decodeInput(items, { format: "ai-sdk-model", fallbackId: String });
  const rendered = renderPrompt({
    provider: "ai-sdk",
    instructions: undefined,
    messages: messages.flat(),
    breakpoints: [],
  });
  const [user, , tool] = findCallFormat(version).write(rendered);
  const [result] = Array.isArray(tool?.content) ? tool.content : [];
  return { file: user?.content[1], output: result !== undefined && "output" in result ? result.output : undefined };
}

describe("the prompt of a step", () => {
  const picture = {
    type: "content",
    value: [
      { type: "text", text: "It:" },
      { type: "file", ...PNG },
    ],
  };

  test.each([
    ["v2", { type: "media", ...PNG }],
    ["v3", { type: "file-data", ...PNG }],
  ])("has plain data for models of version %s", (version, part) => {
    const { file, output } = write(version, picture);
    expect(file).toEqual({ type: "file", ...PNG });
    expect(output).toEqual({ type: "content", value: [{ type: "text", text: "It:" }, part] });
  });

  test("has tagged data for models of version v4", () => {
    const { file } = write("v4", picture);
    expect(file).toEqual({ type: "file", mediaType: "image/png", data: { type: "data", data: PNG.data } });
  });

  test("names the address of a file in tool output, which version v2 cannot contain", () => {
    const url = "https://example.com/a.png";
    const output = { type: "content", value: [{ type: "file-url", url }] };
    expect(write("v2", output).output).toMatchObject({ value: [{ type: "text", text: `[File: ${url}]` }] });
    expect(write("v3", output).output).toMatchObject({ value: [{ type: "file-url", url }] });
  });

  test("writes the denial of a call as text, because version v2 has no other form for it", () => {
    const output = { type: "execution-denied", reason: "Not on my disk." };
    expect(write("v2", output).output).toEqual({ type: "error-text", value: "Not on my disk." });
    expect(write("v3", output).output).toMatchObject({ type: "execution-denied" });
  });

  test("is read without the fields that Mastra adds", () => {
    const mastra = { createdAt: 1 };
    const text = { type: "text" as const, text: "Look.", providerOptions: { mastra, anthropic: { a: 1 } } };
    const result = { type: "tool-result" as const, ...call, output: { type: "text" as const, value: "" }, input: {} };
    const { messages } = findCallFormat("v4").read([
      { role: "user", content: [text] },
      { role: "tool", content: [result] },
    ]);
    expect(messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Look.", providerOptions: { anthropic: { a: 1 } } }] },
      { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: "" } }] },
    ]);
  });
});
