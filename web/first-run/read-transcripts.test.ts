import { expect, test } from "vitest";
import { readTranscripts } from "./read-transcripts.ts";

const USER = { role: "user", content: "Hello." };

test("a list of messages is one conversation without a title", () => {
  expect(readTranscripts([USER]).transcripts).toEqual([{ title: undefined, messages: [USER] }]);
});

test("a list is found under its usual names, with the title beside it", () => {
  expect(readTranscripts({ title: "A", contents: [USER] }).transcripts).toEqual([{ title: "A", messages: [USER] }]);
});

test("nothing is found where nothing is", () => {
  for (const value of [undefined, null, 1, "text", {}, [], { messages: [] }, { mapping: {} }]) {
    expect(readTranscripts(value).transcripts, JSON.stringify(value)).toEqual([]);
  }
});

test("a tree gives the way that was shown last, and ends where it leads back into itself", () => {
  const said = (text: string) => ({ author: { role: "user" }, content: { parts: [text] }, create_time: 2 });
  const mapping = { a: { parent: "b", message: said("one") }, b: { parent: "a", message: said("two") } };
  const [transcript] = readTranscripts([{ mapping, current_node: "b" }]).transcripts;
  expect(transcript?.messages.map(({ id, saidAt }) => [id, saidAt])).toEqual([
    ["a", 2_000],
    ["b", 2_000],
  ]);
});

test("messages inside of their parents give the way to the newest", () => {
  const message = (messageId: string, rest: object) => ({ messageId, isCreatedByUser: true, text: messageId, ...rest });
  const child = message("b", { parentMessageId: "a", isCreatedByUser: false, sender: "Model" });
  const [transcript] = readTranscripts({ messages: [message("a", { children: [child] })] }).transcripts;
  expect(transcript?.messages).toMatchObject([
    { id: "a", role: "user" },
    { id: "b", role: "assistant", name: "Model" },
  ]);
});

test("of many conversations those without a text are left out, each with the reason", () => {
  const node = (content: object) => ({ a: { parent: null, message: { author: { role: "user" }, content } } });
  const image = { content_type: "multimodal_text", parts: [{ content_type: "image_asset_pointer" }] };
  const { transcripts, leftOut } = readTranscripts([
    { title: "Words", mapping: node({ parts: ["Hello."] }), current_node: "a" },
    { title: "Begun", mapping: {}, current_node: null },
    { title: "Pictures", mapping: node(image), current_node: "a" },
  ]);
  expect(transcripts.map(({ title }) => title)).toEqual(["Words"]);
  expect(leftOut).toEqual([
    { title: "Begun", reason: "nothing was said" },
    { title: "Pictures", reason: "there is no text in it" },
  ]);
});
