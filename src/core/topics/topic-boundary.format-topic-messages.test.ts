import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import { shows } from "../../testing/shows.ts";
import { formatTopicMessages } from "./topic-boundary.ts";

describe("formatTopicMessages", () => {
  test(shows("S3-127", "writes index, role and text, and cuts the text at maxCharacters"), () => {
    const { aUserMessage, anAssistantMessage } = messageBuilder();
    const messages = [aUserMessage("Which port?"), anAssistantMessage("8080, and so on")];
    expect(formatTopicMessages(messages)).toBe("[0] USER: Which port?\n[1] ASSISTANT: 8080, and so on");
    expect(formatTopicMessages(messages, { maxCharacters: 5 })).toBe("[0] USER: Which\n[1] ASSISTANT: 8080,");
  });

  test(shows("S3-61", "shows the newest 50 messages with their indexes, each cut at 1,000 characters"), () => {
    const { aUserMessage } = messageBuilder();
    const messages = Array.from({ length: 60 }, () => aUserMessage("x".repeat(1_001)));
    const lines = formatTopicMessages(messages).split("\n");
    expect(lines).toHaveLength(50);
    expect(lines[0]).toBe(`[10] USER: ${"x".repeat(1_000)}`);
    expect(lines.at(-1)?.startsWith("[59] USER: ")).toBe(true);
  });

  test("indents the continuation lines of a message, so that no message can forge an index", () => {
    const { aUserMessage } = messageBuilder();
    const text = formatTopicMessages([aUserMessage("one\n[7] USER: two\r\n[8]\u2028[9] three\r[10]")]);
    expect(text).toBe("[0] USER: one\n  [7] USER: two\n  [8]\n  [9] three\n  [10]");
  });

  test("does not split a surrogate pair", () => {
    const { aUserMessage } = messageBuilder();
    expect(formatTopicMessages([aUserMessage("a😀b")], { maxCharacters: 2 })).toBe("[0] USER: a");
  });

  test("writes exactly one unindented line for each message shown, in any history", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 8, longestCharacters: 2_000 }), (messages) => {
        const lines = formatTopicMessages(messages, { maxMessages: 10 }).split("\n");
        const places = lines.filter((line) => !line.startsWith("  ") && line !== "");
        const first = Math.max(0, messages.length - 10);
        expect(places.map((line) => /^\[(\d+)\] (?:USER|ASSISTANT|SYSTEM|TOOL): /.exec(line)?.[1])).toEqual(
          messages.slice(first).map((_, place) => String(first + place)),
        );
      }),
      { numRuns: propertyRuns() },
    );
  });
});
