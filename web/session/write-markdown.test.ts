import { expect, test } from "vitest";
import type { LogItem, ShownMessage } from "../api/values.ts";
import { writeMarkdown } from "./write-markdown.ts";

const messageItem = (message: Partial<ShownMessage>): LogItem => ({
  type: "message",
  message: { id: "m", role: "user", blocks: [], isErased: false, ...message },
});

test("Markdown of a conversation names the speakers, and puts text that contains a code fence into a longer fence", () => {
  const call = { callId: "c", tool: "read", input: "{}", output: "a ``` b", failed: false };
  const text = writeMarkdown("The  plan", [
    messageItem({ blocks: [{ type: "text", text: "Where?" }] }),
    messageItem({
      role: "assistant",
      blocks: [
        { type: "tool", call },
        { type: "text", text: "Here." },
      ],
    }),
  ]);
  expect(text).toBe(
    "# The plan\n\n## You\n\nWhere?\n\n## Assistant\n\nCalled `read`:\n\n```\n{}\n```\n\nResult:\n\n````\na ``` b\n````\n\nHere.\n",
  );
});

test("Markdown of a conversation marks deleted messages, and a clear at its place", () => {
  const text = writeMarkdown("", [
    messageItem({ isErased: true }),
    { type: "marker", marker: { type: "clear", id: "c", seq: 2, at: 0, reason: "" } },
  ]);
  expect(text).toContain("# Conversation\n");
  expect(text).toContain("The text of this message was deleted.");
  expect(text).toContain("\n> Context cleared.\n");
});
