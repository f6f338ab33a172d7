import { expect, test } from "vitest";
import { readPrompt } from "./read-prompt.ts";

const piecesOf = (part: object) => readPrompt({ messages: [{ role: "user", content: [part] }] })[0]?.pieces;

test("an external image is described and not shown", () => {
  const away = "https://example.org/a.png";
  const parts = [
    { type: "image_url", image_url: { url: away } },
    { type: "input_image", image_url: away },
    { type: "image", source: { type: "url", url: away } },
    { type: "file", data: { type: "url", url: away }, mediaType: "image/png" },
    { fileData: { fileUri: away, mimeType: "image/png" } },
    { type: "input_file", file_id: "file-7" },
  ];
  for (const part of parts) {
    expect(piecesOf(part)).toEqual([expect.objectContaining({ type: "media", bytes: undefined, url: undefined })]);
  }
});

test("a JPEG in base64, which starts like a path, is parsed as bytes", () => {
  const [piece] = piecesOf({ inlineData: { mimeType: "image/jpeg", data: "/9j/4AAQ" } }) ?? [];
  expect(piece).toMatchObject({ type: "media", bytes: 6, url: "data:image/jpeg;base64,/9j/4AAQ" });
});

test("two images of the same size have different descriptions", () => {
  const [left, right] = ["iVBORw0KGgoA", "iVBORw0KGgoB"].map((data) =>
    readPrompt({ contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data } }] }] }),
  );
  expect(left?.[0]?.text).not.toBe(right?.[0]?.text);
});

test("reasoning is distinguished from text, and an unknown piece is shown as JSON", () => {
  expect(piecesOf({ type: "thinking", thinking: "Hm." })).toEqual([{ type: "reasoning", text: "Hm." }]);
  expect(piecesOf({ text: "Hm.", thought: true })).toEqual([{ type: "reasoning", text: "Hm." }]);
  const item = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] };
  expect(readPrompt({ input: [item] })[0]?.pieces).toEqual([{ type: "reasoning", text: "Hm." }]);
  expect(piecesOf({ type: "hologram", angle: 7 })).toEqual([
    { type: "other", text: '{\n  "type": "hologram",\n  "angle": 7\n}' },
  ]);
});

test("a result with several parts shows their text and describes other parts", () => {
  const output = {
    type: "content",
    value: [
      { type: "text", text: "Seen:" },
      { type: "file", data: "aaaa", mediaType: "image/png" },
    ],
  };
  expect(piecesOf({ type: "tool-result", toolCallId: "c1", toolName: "look", output })).toEqual([
    { type: "result", tool: "look", text: "Seen:\n[image/png]", failed: false },
  ]);
});
