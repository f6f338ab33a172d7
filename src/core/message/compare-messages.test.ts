import { describe, expect, test } from "vitest";
import { compareMessages } from "./compare-messages.ts";
import type { Message, Part } from "./message.ts";

const createMessage = (...parts: readonly Part[]): Message => ({ id: "a#0", role: "assistant", parts });
const text = (value: string): Part => ({ type: "text", text: value });
const call: Part = { type: "tool-call", callId: "c", tool: "look", input: { at: 1 } };

describe("compareMessages", () => {
  test("treats the first parts of a message as its beginning, even if the last one is cut short", () => {
    const whole = createMessage(text("One."), text("Two and more."), call);
    for (const parts of [[], [text("One.")], [text("One."), text("Two")], whole.parts]) {
      expect(compareMessages(createMessage(...parts), whole)).toBe(parts === whole.parts ? "same" : "beginning");
    }
  });

  test("treats a tool call that is still streaming as the beginning of that call", () => {
    const writing: Part = {
      type: "unknown",
      format: "ai-sdk-ui",
      value: { type: "tool-look", state: "input-streaming" },
    };
    expect(compareMessages(createMessage(text("One."), writing), createMessage(text("One."), call))).toBe("beginning");
    expect(compareMessages(createMessage(writing), createMessage(text("One.")))).toBe("different");
  });

  test("treats other text, longer text, a shortened earlier part and another role as different", () => {
    const whole = createMessage(text("One."), text("Two."));
    for (const parts of [[text("Other")], [text("One. Two.")], [text("On"), text("Two.")], [...whole.parts, call]]) {
      expect(compareMessages(createMessage(...parts), whole)).toBe("different");
    }
    expect(compareMessages({ ...createMessage(text("One.")), role: "user" }, whole)).toBe("different");
  });
});

describe("compareMessages with provider metadata", () => {
  const signed: Part = { type: "reasoning", text: "Look first.", extras: { anthropic: { signature: "s" } } };
  const redacted: Part = { type: "reasoning", text: "", extras: { anthropic: { redactedData: "r" } } };
  const whole = createMessage(redacted, signed, text("One."), {
    ...call,
    extras: { google: { thoughtSignature: "t" } },
  });

  test("ignores signatures and missing thinking", () => {
    const unsigned: Part = { type: "reasoning", text: "Look first." };
    const emptied: Part = { type: "reasoning", text: "" };
    const spoken = [text("One."), call];
    for (const parts of [[unsigned, ...spoken], [emptied, unsigned, ...spoken], [emptied, ...spoken], spoken]) {
      expect(compareMessages(createMessage(...parts), whole)).toBe("same");
    }
    expect(compareMessages(createMessage(unsigned, text("On")), whole)).toBe("beginning");
  });

  test("treats other thinking, text or tool input as different", () => {
    const other: Part = { type: "reasoning", text: "Guess." };
    const elsewhere: Part = { ...call, input: { at: 2 } };
    for (const parts of [
      [other, text("One."), call],
      [text("Two."), call],
      [text("One."), elsewhere],
    ]) {
      expect(compareMessages(createMessage(...parts), whole)).toBe("different");
    }
  });
});
