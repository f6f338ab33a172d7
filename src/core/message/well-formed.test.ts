import { describe, expect, test } from "vitest";
import type { Message } from "./message.ts";
import { makeWellFormed } from "./well-formed.ts";

const half = "\ud83d";

describe("makeWellFormed", () => {
  test("returns the same object for a message without lone surrogates, even with emoji", () => {
    const message: Message = { id: "m", role: "user", parts: [{ type: "text", text: "fine 😀" }] };
    expect(makeWellFormed(message)).toBe(message);
  });

  test("replaces lone surrogates in texts, inputs, keys and outputs, and does not change the original", () => {
    const message: Message = {
      id: "m",
      role: "assistant",
      parts: [
        { type: "text", text: `a${half}b` },
        { type: "tool-call", callId: "c", tool: "t", input: { [half]: [half, 1, null] } },
        { type: "tool-result", callId: "c", output: { type: "text", text: half }, failed: false },
      ],
    };
    const shown = makeWellFormed(message);
    expect(shown.parts).toEqual([
      { type: "text", text: "a\ufffdb" },
      { type: "tool-call", callId: "c", tool: "t", input: { "\ufffd": ["\ufffd", 1, null] } },
      { type: "tool-result", callId: "c", output: { type: "text", text: "\ufffd" }, failed: false },
    ]);
    expect(message.parts[0]).toEqual({ type: "text", text: `a${half}b` });
    expect(makeWellFormed(message)).toBe(shown);
  });
});
