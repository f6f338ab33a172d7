import { expect, test } from "vitest";
import type { LogItem, ShownMessage } from "../api/values.ts";
import { writeMarkdown } from "./write-markdown.ts";

const said = (message: Partial<ShownMessage>): LogItem => ({
  type: "message",
  message: { id: "m", role: "user", blocks: [], isErased: false, ...message },
});

test("a conversation is written with its speakers, and a text that holds a fence stays inside of a longer one", () => {
  const call = { callId: "c", tool: "read", input: "{}", output: "a ``` b", failed: false };
  const text = writeMarkdown("The  plan", [
    said({ blocks: [{ type: "text", text: "Where?" }] }),
    said({
      role: "assistant",
      blocks: [
        { type: "tool", call },
        { type: "text", text: "Here." },
      ],
    }),
  ]);
  expect(text).toBe(
    "# The plan\n\n## You\n\nWhere?\n\n## Assistant\n\nCalled `read`:\n\n```\n{}\n```\n\nGave back:\n\n````\na ``` b\n````\n\nHere.\n",
  );
});

test("what was deleted says so, and a place where it was started over is marked", () => {
  const text = writeMarkdown("", [
    said({ isErased: true }),
    { type: "marker", marker: { type: "clear", id: "c", seq: 2, at: 0, reason: "" } },
  ]);
  expect(text).toContain("# A conversation\n");
  expect(text).toContain("deleted by its owner");
  expect(text).toContain("\n> Started over.\n");
});
