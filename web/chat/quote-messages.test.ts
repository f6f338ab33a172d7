import { expect, test } from "vitest";
import type { ShownMessage } from "../api/values.ts";
import { quoteMessages } from "./quote-messages.ts";

const message: ShownMessage = {
  id: "m7",
  seq: 7,
  role: "assistant",
  blocks: [
    { type: "reasoning", text: "Let me think." },
    { type: "text", text: "The ferry leaves at nine.\n\nIt is slow." },
  ],
  isErased: false,
};

test("a quoted message is cited line by line before the new text", () => {
  expect(quoteMessages([message], "Is that still so?")).toBe(
    "Quoted from earlier, message 7 by the assistant:\n> The ferry leaves at nine.\n>\n> It is slow.\n\nIs that still so?",
  );
});

test("a tool call is quoted with its result, even without new text", () => {
  const call = { callId: "c1", tool: "read_file", input: '{"path":"a.ts"}', output: "export {};", failed: false };
  const round: ShownMessage = { ...message, seq: 9, blocks: [{ type: "tool", call }] };
  expect(quoteMessages([round], "")).toBe(
    'Quoted from earlier, message 9 by the assistant:\n> read_file({"path":"a.ts"})\n> export {};',
  );
});

test("a text without quoted messages is left unchanged", () => {
  expect(quoteMessages([], "Hello")).toBe("Hello");
});
