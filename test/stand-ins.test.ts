/** Stand-ins for pending results and texts, and what a prompt reports when those arrive. */
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/index.ts";

describe("a stand-in", () => {
  const user = { role: "user", content: "What do the files say?" };
  const called = (...ids: readonly string[]) => ({
    role: "assistant",
    content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "read", input: {} })),
  });
  const answered = (toolCallId: string) => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName: "read", output: { type: "text", value: "Nothing." } }],
  });
  const thought = { role: "assistant", content: [{ type: "reasoning", text: "Let me see." }] };
  const replaced = [{ section: "history", reason: "a tool result, or a later message, replaced its stand-in" }];

  test.each([
    ["a result", [user, called("a")], answered("a"), replaced],
    ["the result of one of two calls, followed by another stand-in", [user, called("a", "b")], answered("b"), replaced],
    ["a further call, followed by others", [user, called("a")], called("b"), replaced],
    ["text after a thought", [user, thought], { role: "assistant", content: "Nothing." }, replaced],
    ["nothing, because the user continues without a result", [user, called("a")], user, []],
  ])("is listed in the changes if the prompt changed when it was replaced by %s", async (_, before, next, changes) => {
    const session = await (await openPalimpsest({ counter: "estimate" })).session();
    await session.append(before);
    const first = await session.prompt();
    expect(first.report.changes).toEqual([]);
    await session.append(next);
    const { report, messages } = await session.prompt();
    expect(report.changes).toEqual(changes);
    const isPrefix = JSON.stringify(messages.slice(0, first.messages.length)) === JSON.stringify(first.messages);
    expect(isPrefix).toBe(changes.length === 0);
  });
});
