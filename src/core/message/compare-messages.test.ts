import { describe, expect, test } from "vitest";
import { compareMessages } from "./compare-messages.ts";
import type { Message, Part } from "./message.ts";

const said = (...parts: readonly Part[]): Message => ({ id: "a#0", role: "assistant", parts });
const text = (value: string): Part => ({ type: "text", text: value });
const call: Part = { type: "tool-call", callId: "c", tool: "look", input: { at: 1 } };

describe("a beginning of a message", () => {
  test("is the whole message, nothing, or its parts with the last one cut short", () => {
    const whole = said(text("One."), text("Two and more."), call);
    for (const parts of [[], [text("One.")], [text("One."), text("Two")], whole.parts]) {
      expect(compareMessages(said(...parts), whole)).toBe(parts === whole.parts ? "same" : "beginning");
    }
  });

  test("may end in a call with incomplete input", () => {
    const writing: Part = {
      type: "unknown",
      format: "ai-sdk-ui",
      value: { type: "tool-look", state: "input-streaming" },
    };
    expect(compareMessages(said(text("One."), writing), said(text("One."), call))).toBe("beginning");
    expect(compareMessages(said(writing), said(text("One.")))).toBe("different");
  });

  test("is not a different text, a longer text, or one with an earlier part cut short", () => {
    const whole = said(text("One."), text("Two."));
    for (const parts of [[text("Other")], [text("One. Two.")], [text("On"), text("Two.")], [...whole.parts, call]]) {
      expect(compareMessages(said(...parts), whole)).toBe("different");
    }
    expect(compareMessages({ ...said(text("One.")), role: "user" }, whole)).toBe("different");
  });
});

describe("extras that only a provider reads", () => {
  const signed: Part = { type: "reasoning", text: "Look first.", extras: { anthropic: { signature: "s" } } };
  const redacted: Part = { type: "reasoning", text: "", extras: { anthropic: { redactedData: "r" } } };
  const whole = said(redacted, signed, text("One."), { ...call, extras: { google: { thoughtSignature: "t" } } });

  test("do not make messages different, nor does missing thinking", () => {
    const unsigned: Part = { type: "reasoning", text: "Look first." };
    const emptied: Part = { type: "reasoning", text: "" };
    const spoken = [text("One."), call];
    for (const parts of [[unsigned, ...spoken], [emptied, unsigned, ...spoken], [emptied, ...spoken], spoken]) {
      expect(compareMessages(said(...parts), whole)).toBe("same");
    }
    expect(compareMessages(said(unsigned, text("On")), whole)).toBe("beginning");
  });

  test("do not include thinking, text or tool input, which make messages different", () => {
    const other: Part = { type: "reasoning", text: "Guess." };
    const elsewhere: Part = { ...call, input: { at: 2 } };
    for (const parts of [
      [other, text("One."), call],
      [text("Two."), call],
      [text("One."), elsewhere],
    ]) {
      expect(compareMessages(said(...parts), whole)).toBe("different");
    }
  });
});
