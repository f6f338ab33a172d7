import { describe, expect, test } from "vitest";
import { countedIds, messageBuilder, toolResultPart } from "./builders.ts";

describe("messageBuilder", () => {
  test("each builder counts its own ids", () => {
    const first = messageBuilder();
    const second = messageBuilder();
    expect(first.aUserMessage("one").id).toBe("m1");
    expect(first.anAssistantMessage("two").id).toBe("m2");
    expect(second.aUserMessage("one").id).toBe("m1");
  });

  test("takes ids from the given counter", () => {
    const { aUserMessage } = messageBuilder(countedIds("chat-"));
    expect(aUserMessage("hello").id).toBe("chat-1");
  });

  test("does not use up an id for a message that has its own", () => {
    const { aSystemMessage, aUserMessage } = messageBuilder();
    expect(aSystemMessage("be brief", { id: "system" }).id).toBe("system");
    expect(aUserMessage("hello").id).toBe("m1");
  });

  test("adds the given fields to the message", () => {
    const { aUserMessage } = messageBuilder();
    expect(aUserMessage("hello", { saidAt: 5, name: "ana" })).toEqual({
      id: "m1",
      role: "user",
      parts: [{ type: "text", text: "hello" }],
      saidAt: 5,
      name: "ana",
    });
  });

  test("writes a call as an assistant message and its result as a tool message", () => {
    const { aToolCall, aToolResult } = messageBuilder();
    expect(aToolCall("a", "get_weather", { city: "Lyon" })).toEqual({
      id: "m1",
      role: "assistant",
      parts: [{ type: "tool-call", callId: "a", tool: "get_weather", input: { city: "Lyon" } }],
    });
    expect(aToolResult("a", "rain")).toEqual({
      id: "m2",
      role: "tool",
      parts: [{ type: "tool-result", callId: "a", output: { type: "text", text: "rain" }, failed: false }],
    });
  });

  test("puts the results of a round into one tool message, or into separate ones", () => {
    const { aRound } = messageBuilder();
    const calls = [
      { callId: "a", output: "1" },
      { callId: "b", output: "2", failed: true },
    ];
    expect(aRound(calls).map(({ role, parts }) => [role, parts.length])).toEqual([
      ["assistant", 2],
      ["tool", 2],
    ]);
    expect(aRound(calls, { text: "Let me look.", apart: true }).map(({ role, parts }) => [role, parts.length])).toEqual(
      [
        ["assistant", 3],
        ["tool", 1],
        ["tool", 1],
      ],
    );
  });

  test("leaves a call without output open", () => {
    const { aRound } = messageBuilder();
    expect(aRound([{ callId: "a" }]).map(({ role }) => role)).toEqual(["assistant"]);
  });
});

describe("toolResultPart", () => {
  test("keeps a structured output unchanged", () => {
    expect(toolResultPart("a", { type: "json", value: [1] }).output).toEqual({ type: "json", value: [1] });
  });
});
