import { describe, expect, test } from "vitest";
import { shows } from "../../testing/shows.ts";
import type { Message } from "../message/message.ts";
import { countMessage } from "./count-message.ts";
import { countText } from "./count-text.ts";
import { countTokens } from "./count-tokens.ts";
import type { Counter } from "./counter.ts";
import { estimate } from "./estimate.ts";
import { charsOverFour } from "./rough-counters.ts";

const counter: Counter = {
  id: "characters@1",
  exact: false,
  messageOverheadTokens: 3,
  countWindow: (text) => text.length,
};

const message: Message = { id: "m", role: "user", parts: [{ type: "text", text: "hello there" }] };
const plain = { role: "user", content: "hello there" };
const tool = {
  name: "read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
};

describe("countTokens", () => {
  test(shows("S3-24", "counts a text, a message, a plain message, and lists of them"), () => {
    expect(countTokens("hello there", { counter })).toBe(11);
    expect(countTokens(message, { counter })).toBe(14);
    expect(countTokens(plain, { counter })).toBe(14);
    expect(countTokens([plain, message, "hello there"], { counter })).toBe(14 + 14 + 11);
    expect(countTokens([], { counter })).toBe(0);
  });

  test("counts tool schemas as JSON, alone and in lists", () => {
    expect(countTokens(tool, { counter })).toBe(JSON.stringify(tool).length);
    expect(countTokens([tool, tool], { counter })).toBe(2 * JSON.stringify(tool).length);
  });

  test("counts the parts and calls of a plain message, but not its id", () => {
    const parts = { role: "user", content: [{ type: "text", text: "look" }, "here"] };
    expect(countTokens(parts, { counter })).toBe(3 + 4 + 4);
    const called = { role: "assistant", content: null, tool_calls: [{ id: "c1" }] };
    expect(countTokens(called, { counter })).toBe(3 + '{"tool_calls":[{"id":"c1"}]}'.length);
    const identified = { id: "a-long-id", ...plain };
    expect(countTokens(identified, { counter })).toBe(14);
  });

  test("counts images in plain messages as images, whether they are base64 or bytes", () => {
    const base64 = Buffer.alloc(90_000, 1).toString("base64");
    const shapes = [
      { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } },
      { type: "image", source: { type: "base64", media_type: "image/png", data: base64 } },
      { type: "file", mediaType: "image/png", data: base64 },
      { type: "image", image: new Uint8Array(90_000), mediaType: "image/png" },
      { type: "image", image: Buffer.alloc(90_000), mimeType: "image/png" },
    ];
    for (const shape of shapes) {
      const counted = countTokens({ role: "user", content: [shape] }, { counter });
      expect(counted).toBeGreaterThanOrEqual(1_000);
      expect(counted).toBeLessThan(1_200);
    }
  });

  test("counts a text file inside a plain message by its text", () => {
    const csv = "name,count\n".repeat(300);
    const file = { file_data: `data:text/csv;base64,${Buffer.from(csv).toString("base64")}` };
    const counted = countTokens({ role: "user", content: [{ type: "file", file }] }, { counter });
    expect(counted).toBeGreaterThanOrEqual(csv.length);
    expect(counted).toBeLessThan(csv.length + 60);
  });

  test("counts a long hexadecimal hash as text", () => {
    const hash = "deadbeef".repeat(40);
    expect(countTokens({ role: "user", content: { sha: hash } }, { counter })).toBe(
      3 + JSON.stringify({ sha: hash }).length,
    );
  });

  test("uses the given counter, or else the estimate", () => {
    const digits = "1 2 3 4 5 6 7 8 9 10";
    expect(countTokens(digits)).toBe(countText(digits, estimate));
    expect(countTokens(digits)).not.toBe(countText(digits, charsOverFour));
    expect(countTokens(message)).toBe(countMessage(message, estimate));
    expect(countTokens("12345678", { counter: charsOverFour })).toBe(2);
  });

  test("counts images by the rules of the given media family", () => {
    const image: Message = {
      id: "m",
      role: "user",
      parts: [{ type: "image", source: { type: "reference", id: "i" }, widthPixels: 1_024, heightPixels: 1_024 }],
    };
    expect(countTokens(image, { counter, media: "openai-tiles" })).toBe(3 + 765);
    expect(countTokens(image, { counter, media: "gemini-3" })).toBe(3 + 1_120);
  });
});
