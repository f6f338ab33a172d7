import { expect, test } from "vitest";
import { readTranscripts } from "./read-transcripts.ts";

const USER = { role: "user", content: "Hello." };

test("a list of messages is read as one conversation without a title", () => {
  expect(readTranscripts([USER]).transcripts).toEqual([{ title: undefined, messages: [USER] }]);
});

test("the messages and the title of an object are found under their usual keys", () => {
  expect(readTranscripts({ title: "A", contents: [USER] }).transcripts).toEqual([{ title: "A", messages: [USER] }]);
});

test("a list of lists is read as one conversation for each list, and a single message as one conversation", () => {
  const { transcripts } = readTranscripts([[USER], [USER, USER]]);
  expect(transcripts.map(({ messages }) => messages.length)).toEqual([1, 2]);
  expect(readTranscripts(USER).transcripts).toEqual([{ title: undefined, messages: [USER] }]);
});

test("a value without messages contains no conversations", () => {
  for (const value of [undefined, null, 1, "text", {}, [], { messages: [] }, { mapping: {} }]) {
    expect(readTranscripts(value).transcripts, JSON.stringify(value)).toEqual([]);
  }
});

test("a tree of messages is read along the branch shown last, up to the first repeated message", () => {
  const createMessage = (text: string) => ({ author: { role: "user" }, content: { parts: [text] }, create_time: 2 });
  const mapping = {
    a: { parent: "b", message: createMessage("one") },
    b: { parent: "a", message: createMessage("two") },
  };
  const [transcript] = readTranscripts([{ mapping, current_node: "b" }]).transcripts;
  expect(transcript?.messages.map(({ id, saidAt }) => [id, saidAt])).toEqual([
    ["a", 2_000],
    ["b", 2_000],
  ]);
});

test("nested replies are read along the branch of the newest message", () => {
  const message = (messageId: string, rest: object) => ({ messageId, isCreatedByUser: true, text: messageId, ...rest });
  const child = message("b", { parentMessageId: "a", isCreatedByUser: false, sender: "Model" });
  const [transcript] = readTranscripts({ messages: [message("a", { children: [child] })] }).transcripts;
  expect(transcript?.messages).toMatchObject([
    { id: "a", role: "user" },
    { id: "b", role: "assistant", name: "Model" },
  ]);
});

test("conversations without text are left out, each with a reason", () => {
  const node = (content: object) => ({ a: { parent: null, message: { author: { role: "user" }, content } } });
  const image = { content_type: "multimodal_text", parts: [{ content_type: "image_asset_pointer" }] };
  const { transcripts, leftOut } = readTranscripts([
    { title: "Words", mapping: node({ parts: ["Hello."] }), current_node: "a" },
    { title: "Begun", mapping: {}, current_node: null },
    { title: "Pictures", mapping: node(image), current_node: "a" },
  ]);
  expect(transcripts.map(({ title }) => title)).toEqual(["Words"]);
  expect(leftOut).toEqual([
    { title: "Begun", reason: "it has no messages" },
    { title: "Pictures", reason: "it has no text" },
  ]);
});

test("messages without readable text are left out, and an item that is not a conversation is listed", () => {
  const node = (message: object, parent: string | null = null) => ({ parent, message });
  const sent = { author: { role: "user" }, content: { parts: ["Hello."] } };
  const odd = { author: { role: "stranger" }, content: { parts: ["Boo."] } };
  const { transcripts, leftOut } = readTranscripts([
    { title: "Whole", mapping: { a: node(sent), other: node(odd) }, current_node: "a" },
    { title: "A stranger's", mapping: { a: node(sent), b: node(odd, "a") }, current_node: "b" },
    { title: "A number", mapping: { a: node({ ...sent, content: 7 }), b: node(sent, "a") }, current_node: "b" },
    { title: "No conversation" },
  ]);
  expect(transcripts.map(({ title, messages }) => [title, messages.length])).toEqual([
    ["Whole", 1],
    ["A stranger's", 1],
    ["A number", 1],
  ]);
  expect(leftOut.map(({ title }) => title)).toEqual(["No conversation", "A stranger's", "A number"]);
});
