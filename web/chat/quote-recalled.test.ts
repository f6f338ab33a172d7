import { expect, test } from "vitest";
import type { ShownMessage } from "../api/values.ts";
import { quoteRecalled } from "./quote-recalled.ts";

const said: ShownMessage = {
  id: "m7",
  seq: 7,
  role: "assistant",
  blocks: [
    { type: "reasoning", text: "Let me think." },
    { type: "text", text: "The ferry leaves at nine.\n\nIt is slow." },
  ],
  isErased: false,
};

test("a recalled message stands line by line as a quotation in front of what is said", () => {
  expect(quoteRecalled([said], "Is that still so?")).toBe(
    "Recalled from earlier, message 7 by the assistant:\n> The ferry leaves at nine.\n>\n> It is slow.\n\nIs that still so?",
  );
});

test("a call is recalled with what came back, and nothing has to be said with it", () => {
  const call = { callId: "c1", tool: "read_file", input: '{"path":"a.ts"}', output: "export {};", failed: false };
  const round: ShownMessage = { ...said, seq: 9, blocks: [{ type: "tool", call }] };
  expect(quoteRecalled([round], "")).toBe(
    'Recalled from earlier, message 9 by the assistant:\n> read_file({"path":"a.ts"})\n> export {};',
  );
});

test("without anything recalled the words are as they were written", () => {
  expect(quoteRecalled([], "Hello")).toBe("Hello");
});
