import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { shows } from "../../testing/shows.ts";
import type { Message, Part } from "../message/message.ts";
import { countMessage, countMessageInSteps, countPart } from "./count-message.ts";
import type { Counter } from "./counter.ts";
import { estimate } from "./estimate.ts";
import { charsOverFour, wordEstimate } from "./rough-counters.ts";

/** Counts one token per character and no overhead. */
const characters: Counter = {
  id: "characters@1",
  exact: false,
  messageOverheadTokens: 0,
  countWindow: (text) => text.length,
};

const createMessage = (...parts: readonly Part[]): Message => ({ id: "m1", role: "user", parts });

/** A GIF of 200 kB. Counted as text, it would be more than 50,000 tokens. */
const picture = Buffer.concat([Buffer.from("GIF89a"), Buffer.from([0, 4, 0, 4]), Buffer.alloc(200_000, 7)]).toString(
  "base64",
);

const parts: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: fc.string({ unit: "binary" }) }),
  fc.record({ type: fc.constant("reasoning" as const), text: fc.string() }),
  fc.record({
    type: fc.constant("tool-call" as const),
    callId: fc.string(),
    tool: fc.string(),
    input: fc.jsonValue() as fc.Arbitrary<never>,
  }),
  fc.record({
    type: fc.constant("tool-result" as const),
    callId: fc.string(),
    failed: fc.boolean(),
    output: fc.oneof(
      fc.record({ type: fc.constant("text" as const), text: fc.string() }),
      fc.record({ type: fc.constant("json" as const), value: fc.jsonValue() as fc.Arbitrary<never> }),
    ),
  }),
  fc.record({
    type: fc.constant("image" as const),
    source: fc.record({ type: fc.constant("data" as const), base64: fc.base64String() }),
  }),
  fc.record({
    type: fc.constant("file" as const),
    source: fc.record({ type: fc.constant("data" as const), base64: fc.base64String() }),
    mediaType: fc.constantFrom("text/plain", "application/json", "application/pdf", "audio/wav", "image/png"),
  }),
  fc.record({ type: fc.constant("source" as const), id: fc.string(), url: fc.string() }),
  fc.record({
    type: fc.constant("unknown" as const),
    format: fc.constant("openai-chat"),
    value: fc.jsonValue() as fc.Arbitrary<never>,
  }),
);

describe("countMessage", () => {
  test(shows("S1-12", "counts a conversation as the sum of its texts and ten tokens per message"), () => {
    const history = ["how are you", "fine", ""].map((text) => createMessage({ type: "text", text }));
    const total = history.reduce((sum, message) => sum + countMessage(message, wordEstimate), 0);
    expect(total).toBe(4 + 2 + 2 + 3 * 10);
  });

  test("counts the text that a model reads in each type of part", () => {
    const count = (part: Part): number => countPart(part, characters);
    expect(count({ type: "text", text: "hello" })).toBe(5);
    expect(count({ type: "reasoning", text: "so then" })).toBe(7);
    expect(count({ type: "tool-call", callId: "c", tool: "read", input: { path: "a" } })).toBe(
      'read {"path":"a"}'.length + 4,
    );
    expect(count({ type: "tool-call", callId: "c", tool: "read", input: {}, inputText: '{ "path": "a" }' })).toBe(
      'read { "path": "a" }'.length + 4,
    );
    expect(count({ type: "tool-result", callId: "c", failed: false, output: { type: "text", text: "done" } })).toBe(
      4 + 4,
    );
    expect(count({ type: "tool-result", callId: "c", failed: false, output: { type: "json", value: [1, 2] } })).toBe(
      "[1,2]".length + 4,
    );
    expect(count({ type: "source", id: "s", url: "https://example.org", title: "Page" })).toBe(
      "Page https://example.org".length,
    );
    expect(count({ type: "unknown", format: "gemini", value: { a: 1 } })).toBe('{"a":1}'.length);
  });

  test("counts the text and the name of a long text file", () => {
    const text = "naïve 語 text\n".repeat(20_000);
    const file: Part = {
      type: "file",
      name: "notes.md",
      mediaType: "text/markdown",
      source: { type: "data", base64: Buffer.from(text).toString("base64") },
    };
    expect(countPart(file, characters)).toBe(text.length + "notes.md".length);
  });

  test("counts encrypted reasoning, which has no text", () => {
    const hidden: Part = { type: "reasoning", text: "", extras: { openai: { encryptedContent: "x".repeat(16_000) } } };
    expect(countPart(hidden, characters)).toBeGreaterThan(2_900);
    expect(countPart({ type: "reasoning", text: "" }, characters)).toBe(0);
  });

  test("never counts base64 of media as text, in any part", () => {
    const places: readonly Part[] = [
      { type: "image", source: { type: "data", base64: picture } },
      { type: "image", source: { type: "url", url: `data:image/gif;base64,${picture}` } },
      { type: "file", mediaType: "image/gif", source: { type: "data", base64: picture } },
      {
        type: "tool-result",
        callId: "c",
        failed: false,
        output: { type: "parts", parts: [{ type: "image", source: { type: "data", base64: picture } }] },
      },
      {
        type: "unknown",
        format: "openai-chat",
        value: { type: "image_url", image_url: { url: `data:image/gif;base64,${picture}` } },
      },
      {
        type: "unknown",
        format: "anthropic",
        value: { type: "image", source: { type: "base64", media_type: "image/gif", data: picture } },
      },
      { type: "unknown", format: "gemini", value: { inlineData: { data: picture } } },
    ];
    for (const part of places) {
      expect(countPart(part, characters, "openai-tiles")).toBeGreaterThanOrEqual(765);
      expect(countPart(part, characters, "openai-tiles")).toBeLessThan(765 + 200);
    }
  });

  test("counts base64 inside the JSON output of a tool as text, because it is sent as text", () => {
    const part: Part = {
      type: "tool-result",
      callId: "c",
      failed: false,
      output: { type: "json", value: { png: picture } },
    };
    expect(countPart(part, characters)).toBeGreaterThan(picture.length);
  });

  test("returns the sum of overhead, name and parts, in steps and at once", () => {
    fc.assert(
      fc.property(
        fc.array(parts, { maxLength: 5 }),
        fc.constantFrom(estimate, charsOverFour, wordEstimate),
        (list, counter) => {
          const message = { ...createMessage(...list), name: "Ada" };
          const sum = list.reduce((total, part) => total + countPart(part, counter), 0);
          const name = countPart({ type: "text", text: "Ada" }, counter);
          expect(countMessage(message, counter)).toBe(counter.messageOverheadTokens + name + sum);
          const steps = countMessageInSteps(message, counter);
          let step = steps.next();
          while (step.done !== true) step = steps.next();
          expect(step.value).toBe(countMessage(message, counter));
        },
      ),
      { numRuns: propertyRuns() },
    );
  });

  test("yields between parts and within a long part", () => {
    const long = createMessage({ type: "text", text: "some words ".repeat(10_000) }, { type: "text", text: "short" });
    expect([...countMessageInSteps(long, characters)].length).toBeGreaterThanOrEqual(4);
  });
});
