import { expect, test } from "vitest";
import { readTranscripts } from "./read-transcripts.ts";

const USER = { role: "user", content: "Hello." };

test("a list of messages is one conversation without a title", () => {
  expect(readTranscripts([USER])).toEqual([{ title: undefined, messages: [USER] }]);
});

test("a list is found under its usual names, with the title beside it", () => {
  expect(readTranscripts({ title: "A", contents: [USER] })).toEqual([{ title: "A", messages: [USER] }]);
});

test("nothing is found where nothing is", () => {
  for (const value of [undefined, null, 1, "text", {}, [], { messages: [] }, { mapping: {} }]) {
    expect(readTranscripts(value), JSON.stringify(value)).toEqual([]);
  }
});

test("a tree gives the way that was shown last, and ends where it leads back into itself", () => {
  const said = (text: string) => ({ author: { role: "user" }, content: { parts: [text] }, create_time: 2 });
  const mapping = { a: { parent: "b", message: said("one") }, b: { parent: "a", message: said("two") } };
  const [transcript] = readTranscripts([{ mapping, current_node: "b" }]);
  expect(transcript?.messages.map(({ id, saidAt }) => [id, saidAt])).toEqual([
    ["a", 2_000],
    ["b", 2_000],
  ]);
});

test("messages inside of their parents give the way to the newest", () => {
  const message = (messageId: string, rest: object) => ({ messageId, isCreatedByUser: true, text: messageId, ...rest });
  const child = message("b", { parentMessageId: "a", isCreatedByUser: false, sender: "Model" });
  const [transcript] = readTranscripts({ messages: [message("a", { children: [child] })] });
  expect(transcript?.messages).toMatchObject([
    { id: "a", role: "user" },
    { id: "b", role: "assistant", name: "Model" },
  ]);
});
