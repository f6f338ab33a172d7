import { describe, expect, test } from "vitest";
import { messageBuilder, textPart, toolResultPart } from "../../testing/builders.ts";
import type { ImagePart } from "./message.ts";
import { messageText, outputText } from "./message-text.ts";

const { aUserMessage, aToolCall, anAssistantMessage } = messageBuilder();

describe("messageText", () => {
  test("joins the texts of all parts", () => {
    expect(messageText(aUserMessage("", { parts: [textPart("one"), textPart("two")] }))).toBe("one\ntwo");
  });

  test("includes thinking and tool output", () => {
    const parts = [{ type: "reasoning", text: "Hm." } as const, toolResultPart("a", "found")];
    expect(messageText(anAssistantMessage("", { parts }))).toBe("Hm.\nfound");
  });

  test("omits calls, images and files", () => {
    expect(messageText(aToolCall("a"))).toBe("");
    const image = { type: "image", source: { type: "url", url: "https://example.com/1" } } as const;
    expect(messageText(aUserMessage("", { parts: [image, textPart("Look.")] }))).toBe("Look.");
  });
});

const image: ImagePart = { type: "image", source: { type: "reference", id: "image-1" } };

describe("outputText", () => {
  test("returns text unchanged", () => {
    expect(outputText({ type: "text", text: " found\n" })).toBe(" found\n");
  });

  test("writes a value as JSON", () => {
    expect(outputText({ type: "json", value: { exitCode: 1 } })).toBe('{"exitCode":1}');
    expect(outputText({ type: "json", value: null })).toBe("null");
  });

  test("describes parts that are not text", () => {
    const parts = [textPart("The chart:"), image, textPart("See it?")];
    expect(outputText({ type: "parts", parts })).toBe("The chart:\n[image]\nSee it?");
  });
});
