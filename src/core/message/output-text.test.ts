import { describe, expect, test } from "vitest";
import { textPart } from "../../testing/builders.ts";
import type { ImagePart } from "./message.ts";
import { outputText } from "./output-text.ts";

const image: ImagePart = { type: "image", source: { type: "reference", id: "image-1" } };

describe("outputText", () => {
  test("is a text as it came", () => {
    expect(outputText({ type: "text", text: " found\n" })).toBe(" found\n");
  });

  test("writes a value as JSON", () => {
    expect(outputText({ type: "json", value: { exitCode: 1 } })).toBe('{"exitCode":1}');
    expect(outputText({ type: "json", value: null })).toBe("null");
  });

  test("puts a word in place of what is not text", () => {
    const parts = [textPart("The chart:"), image, textPart("See it?")];
    expect(outputText({ type: "parts", parts })).toBe("The chart:\n[image]\nSee it?");
  });
});
