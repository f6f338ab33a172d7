import { describe, expect, test } from "vitest";
import { messageBuilder, textPart, toolResultPart } from "../../testing/builders.ts";
import { messageText } from "./message-text.ts";

const { aUserMessage, aToolCall, anAssistantMessage } = messageBuilder();

describe("messageText", () => {
  test("is what was said, part by part", () => {
    expect(messageText(aUserMessage("", { parts: [textPart("one"), textPart("two")] }))).toBe("one\ntwo");
  });

  test("holds thoughts and what tools gave back", () => {
    const parts = [{ type: "reasoning", text: "Hm." } as const, toolResultPart("a", "found")];
    expect(messageText(anAssistantMessage("", { parts }))).toBe("Hm.\nfound");
  });

  test("leaves out how it was wrapped: calls, images and files", () => {
    expect(messageText(aToolCall("a"))).toBe("");
    const image = { type: "image", source: { type: "url", url: "https://example.com/1" } } as const;
    expect(messageText(aUserMessage("", { parts: [image, textPart("Look.")] }))).toBe("Look.");
  });
});
