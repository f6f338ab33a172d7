import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../../errors.ts";
import type { Message } from "../message.ts";
import { readMessages } from "./read-messages.ts";

const SAID_AT = Date.UTC(2024, 4, 3, 12, 30);

/** A question and its answer in every format, in some with the speaker or the time. */
const SHAPES: Readonly<Record<string, readonly object[]>> = {
  plain: [
    { role: "user", content: "Where is it?", name: "Ana", timestamp: SAID_AT },
    { role: "assistant", content: "In src/a.ts." },
  ],
  "AI SDK model messages": [
    { role: "user", content: [{ type: "text", text: "Where is it?" }], providerOptions: {} },
    { role: "assistant", content: [{ type: "text", text: "In src/a.ts." }] },
  ],
  "AI SDK UI messages": [
    { id: "u1", role: "user", parts: [{ type: "text", text: "Where is it?" }], metadata: { createdAt: SAID_AT } },
    { id: "u2", role: "assistant", parts: [{ type: "step-start" }, { type: "text", text: "In src/a.ts." }] },
  ],
  "OpenAI chat": [
    { role: "user", content: "Where is it?", name: "Ana" },
    { role: "assistant", content: "In src/a.ts.", refusal: null },
  ],
  "OpenAI responses": [
    { type: "message", role: "user", content: [{ type: "input_text", text: "Where is it?" }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "In src/a.ts." }] },
  ],
  Anthropic: [
    { role: "user", content: "Where is it?", created_at: "2024-05-03T12:30:00Z" },
    { role: "assistant", content: [{ type: "text", text: "In src/a.ts." }] },
  ],
  Gemini: [
    { role: "user", parts: [{ text: "Where is it?" }] },
    { role: "model", parts: [{ text: "In src/a.ts." }] },
  ],
  LangChain: [
    { type: "human", content: "Where is it?", name: "Ana" },
    { type: "ai", content: "In src/a.ts." },
  ],
};

const textsOf = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ role, parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [`${role}: ${part.text}`] : [])),
  );

describe("readMessages", () => {
  test.each(Object.entries(SHAPES))("reads %s", (_, items) => {
    const { messages, places } = readMessages(items);
    expect(textsOf(messages)).toEqual(["user: Where is it?", "assistant: In src/a.ts."]);
    expect(places).toEqual([0, 1]);
  });

  test("returns Palimpsest's own messages unchanged", () => {
    const own: readonly Message[] = [
      { id: "a", role: "user", parts: [{ type: "text", text: "Hello." }], saidAt: SAID_AT, name: "Ana" },
      {
        id: "b",
        role: "tool",
        parts: [{ type: "tool-result", callId: "c", output: { type: "text", text: "" }, failed: false }],
      },
    ];
    expect(readMessages(own).messages).toBe(own);
  });

  test("creates missing ids from positions, counted from firstIndex", () => {
    const items = [
      { role: "user", content: "One." },
      { role: "user", content: "Two.", id: "own" },
    ];
    expect(readMessages(items).messages.map(({ id }) => id)).toEqual(["message-0", "own"]);
    expect(readMessages(items, { firstIndex: 7 }).messages.map(({ id }) => id)).toEqual(["message-7", "own"]);
  });

  test.each([
    [{ createdAt: new Date(SAID_AT) }],
    [{ createdAt: "2024-05-03T12:30:00.000Z" }],
    [{ timestamp: "2024-05-03T14:30:00+02:00" }],
    [{ timestamp: "2024-05-03 12:30" }],
    [{ created_at: SAID_AT / 1_000 }],
    [{ date: SAID_AT }],
    [{ metadata: { timestamp: SAID_AT } }],
  ])("reads the time from %j", (fields) => {
    const [message] = readMessages([{ role: "user", content: "Hello.", ...fields }]).messages;
    expect(message?.saidAt).toBe(SAID_AT);
  });

  test.each([[{ timestamp: "soon" }], [{ createdAt: "yesterday" }], [{ date: "03/05/2024" }], [{ time: {} }]])(
    "reads no time from %j",
    (fields) => {
      const [message] = readMessages([{ role: "user", content: "Hello.", ...fields }]).messages;
      expect(message).not.toHaveProperty("saidAt");
    },
  );

  test("keeps speakers' names, and does not treat a tool's name as a speaker", () => {
    const [message] = readMessages([{ role: "user", content: "Hello.", name: "Ana" }]).messages;
    expect(message?.name).toBe("Ana");
    const items = [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", name: "f", content: "done" },
    ];
    expect(readMessages(items).messages.at(-1)).not.toHaveProperty("name");
  });

  test("reports the source item of each message", () => {
    const parts = [
      { type: "tool-f", toolCallId: "c", state: "output-available", input: {}, output: "ok" },
      { type: "step-start" },
      { type: "text", text: "Done." },
    ];
    const items = [
      { id: "u1", role: "user", parts: [{ type: "text", text: "Go." }] },
      { id: "u2", role: "assistant", parts },
      { id: "u3", role: "user", parts: [{ type: "text", text: "Thanks." }] },
    ];
    expect(readMessages(items).places).toEqual([0, 1, 1, 1, 2]);
  });

  test.each([
    ["a string", "hello", /messages: expected a list of messages such as .* found string/],
    ["undefined", undefined, /found undefined/],
    ["an item that is not a message", [{ content: "hello" }], /messages\[0\]\.role/],
    ["an unknown role", [{ role: "narrator", content: "hello" }], /messages\[0\]\.role: expected one of/],
    ["a message without content", [{ role: "user" }], /messages\[0\]\.content/],
  ])("refuses %s with a message that says what was expected", (_, input, says) => {
    const read = () => readMessages(input as never);
    expect(read).toThrow(PalimpsestError);
    expect(read).toThrow(says);
  });
});
