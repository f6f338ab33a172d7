import { describe, expect, test } from "vitest";
import { beginsMessage } from "./begins-message.ts";
import type { Message, Part } from "./message.ts";

const said = (...parts: readonly Part[]): Message => ({ id: "a#0", role: "assistant", parts });
const text = (value: string): Part => ({ type: "text", text: value });
const call: Part = { type: "tool-call", callId: "c", tool: "look", input: { at: 1 } };

describe("a beginning of a message", () => {
  test("is itself, nothing at all, or its parts with the last one cut short", () => {
    const whole = said(text("One."), text("Two and more."), call);
    for (const parts of [[], [text("One.")], [text("One."), text("Two")], whole.parts]) {
      expect(beginsMessage(said(...parts), whole)).toBe(true);
    }
  });

  test("may end in a call whose input was still being written", () => {
    const writing: Part = {
      type: "unknown",
      format: "ai-sdk-ui",
      value: { type: "tool-look", state: "input-streaming" },
    };
    expect(beginsMessage(said(text("One."), writing), said(text("One."), call))).toBe(true);
    expect(beginsMessage(said(writing), said(text("One.")))).toBe(false);
  });

  test("is no other text, no longer one, and not one that is cut before its end", () => {
    const whole = said(text("One."), text("Two."));
    for (const parts of [[text("Other")], [text("One. Two.")], [text("On"), text("Two.")], [...whole.parts, call]]) {
      expect(beginsMessage(said(...parts), whole)).toBe(false);
    }
    expect(beginsMessage({ ...said(text("One.")), role: "user" }, whole)).toBe(false);
  });
});
