import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { messageBuilder, textPart } from "../../../testing/builders.ts";
import { wellFormedHistories } from "../../../testing/generate-histories.ts";
import { applyPrunes } from "../../log/prune.ts";
import type { ViewMessage } from "../../log/view.ts";
import type { JsonValue } from "../../message/json.ts";
import type { Message, Part } from "../../message/message.ts";
import { outputText } from "../../message/message-text.ts";
import { countPart } from "../../tokens/count-message.ts";
import { charsOverFour } from "../../tokens/rough-counters.ts";
import { findPrunes } from "../find-prunes.ts";

const { aUserMessage, anAssistantMessage, aSystemMessage, aRound } = messageBuilder();
const LONG = "0123456789".repeat(201).slice(0, 2_001);
const LIMIT = LONG.slice(0, 2_000);
const FIRST = LONG.slice(0, 200);

const viewOf = (messages: readonly Message[]): readonly ViewMessage[] =>
  messages.map((message, index) => ({
    seq: index + 1,
    message,
    shown: message,
    tokens: 1,
    fate: "verbatim",
    reason: "",
  }));

const prunesOf = (view: readonly ViewMessage[]) =>
  findPrunes(view, {
    tailStart: 0,
    settings: { rules: "rolling-chat", minimumTokens: 1_000_000, minimumBatchTokens: 1_000_000, exemptTools: [] },
    countPart: (part) => countPart(part, charsOverFour),
  });

const apply = (view: readonly ViewMessage[]): readonly ViewMessage[] => {
  const prunes = prunesOf(view);
  return view.map((item) => ({
    ...item,
    shown: applyPrunes(
      item.message,
      prunes.filter(({ seq }) => seq === item.seq),
    ),
  }));
};

const shown = (messages: readonly Message[]): readonly Message[] => apply(viewOf(messages)).map((item) => item.shown);
const texts = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : part.type)).join());
const six = (): readonly Message[] => Array.from({ length: 6 }, () => anAssistantMessage("short"));

/** Returns the shown form of a part between the prompt and the last six messages. */
function between(part: Part): Part | undefined {
  return shown([aUserMessage("Build it."), anAssistantMessage("", { parts: [part] }), ...six()])[1]?.parts[0];
}

const call = (tool: string, input: JsonValue): Part => ({ type: "tool-call", callId: "a", tool, input });
const inputOf = (part: Part | undefined): JsonValue | undefined =>
  part?.type === "tool-call" ? part.input : undefined;

/** Makes every text and result 40 times as long, and every call write a file. */
function atLength(history: readonly Message[]): readonly Message[] {
  const lengthen = (part: Part): Part => {
    if (part.type === "text") return { ...part, text: part.text.repeat(40) };
    if (part.type === "tool-result")
      return { ...part, output: { type: "text", text: outputText(part.output).repeat(40) } };
    if (part.type !== "tool-call") return part;
    return { ...part, tool: "write_files", input: { files: [{ path: "a.ts", content: LONG }] }, inputText: undefined };
  };
  return history.map((message) => ({ ...message, parts: message.parts.map(lengthen) }));
}

describe("findPrunes with the rules `rolling-chat`", () => {
  test("keeps the newest user message and the last six messages whole, and shortens all others", () => {
    const replies = Array.from({ length: 9 }, () => anAssistantMessage(LONG));
    const messages = [aUserMessage(LONG), anAssistantMessage(LONG), aUserMessage(LONG), ...replies];
    expect(texts(shown(messages))).toEqual([FIRST, FIRST, LONG, FIRST, FIRST, FIRST, ...Array(6).fill(LONG)]);
  });

  test("prunes nothing in seven messages, and the first two of eight", () => {
    const messages = Array.from({ length: 8 }, () => aUserMessage(LONG));
    expect(prunesOf(viewOf(messages.slice(0, 7)))).toEqual([]);
    expect(prunesOf(viewOf(messages)).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test("does not count instructions as messages", () => {
    const messages = [aSystemMessage(LONG), ...Array.from({ length: 8 }, () => aUserMessage(LONG))];
    expect(prunesOf(viewOf(messages)).map(({ seq }) => seq)).toEqual([2, 3]);
  });

  test("removes all file contents from a call to write_files, and keeps the paths", () => {
    const files = [
      { path: "a.ts", content: LONG },
      { path: "b.ts", content: "x" },
    ];
    expect(inputOf(between(call("write_files", { files, note: LONG })))).toEqual({
      files: [
        { path: "a.ts", content: "[truncated]" },
        { path: "b.ts", content: "[truncated]" },
      ],
      note: LONG,
    });
    const empty = call("write_files", { files: [] });
    expect(between(empty)).toBe(empty);
  });

  test("removes the content from a call to write_file only above 2,000 characters", () => {
    expect(inputOf(between(call("write_file", { path: "a.ts", content: LONG })))).toEqual({
      path: "a.ts",
      content: "[truncated]",
    });
    const atLimit = call("write_file", { path: "a.ts", content: LIMIT });
    expect(between(atLimit)).toBe(atLimit);
  });

  test("keeps the first 200 characters of a result above 2,000 characters", () => {
    const outputs = [LONG, LIMIT].map((output) => {
      const messages = [aUserMessage("Build it."), ...aRound([{ callId: "a", output }]), ...six()];
      const [part] = shown(messages)[2]?.parts ?? [];
      return part?.type === "tool-result" ? outputText(part.output) : undefined;
    });
    expect(outputs).toEqual([FIRST, LIMIT]);
  });

  test("keeps the first 200 characters of a text above 2,000 characters", () => {
    expect(between(textPart(LONG))).toEqual(textPart(FIRST));
    expect(between(textPart(LIMIT))).toEqual(textPart(LIMIT));
    expect(between(textPart(`${"x".repeat(199)}😀${LONG}`))).toEqual(textPart("x".repeat(199)));
  });

  test.each(["read_file", "read_files", "run_command", "edit_file"])("does not change the input of %s", (tool) => {
    const part = call(tool, { path: "a.ts", command: LONG, content: LONG, files: [{ path: "a.ts", content: LONG }] });
    expect(between(part)).toBe(part);
  });

  test("does not prune thinking, images or pinned messages", () => {
    const thought: Part = { type: "reasoning", text: LONG };
    const image: Part = { type: "image", source: { type: "data", base64: LONG } };
    for (const part of [thought, image]) expect(between(part)).toBe(part);
    const view = viewOf(Array.from({ length: 10 }, () => aUserMessage(LONG)));
    expect(prunesOf(view.map((item) => ({ ...item, fate: "pinned" })))).toEqual([]);
  });

  test("keeps the type and ids of every part, and prunes nothing more when run again", () => {
    let pruned = 0;
    const skeleton = ({ id, role, parts }: Message) => [
      id,
      role,
      ...parts.map((part) => [part.type, "callId" in part && part.callId, "tool" in part && part.tool]),
    ];
    fc.assert(
      fc.property(wellFormedHistories({ longestCharacters: 400 }).map(atLength), (history) => {
        const after = apply(viewOf(history));
        expect(after.map((item) => skeleton(item.shown))).toEqual(history.map(skeleton));
        expect(prunesOf(after)).toEqual([]);
        for (const { message, shown: seen } of after) {
          if (seen === message) continue;
          pruned += 1;
          const size = ({ parts }: Message) => parts.reduce((sum, part) => sum + countPart(part, charsOverFour), 0);
          expect(size(seen)).toBeLessThan(size(message));
        }
      }),
      { numRuns: propertyRuns() },
    );
    expect(pruned).toBeGreaterThan(200);
  });
});
