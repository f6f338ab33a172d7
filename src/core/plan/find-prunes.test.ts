import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageBuilder, textPart, toolResultPart } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import { propertyRuns } from "../../testing/property-runs.ts";
import { replacePart } from "../log/prune.ts";
import type { ViewMessage } from "../log/view.ts";
import type { ImagePart, Message, Part } from "../message/message.ts";
import { charsOverFour } from "../tokens/chars-over-four.ts";
import { countMessage, countPart as countPartWith } from "../tokens/count-message.ts";
import { type FindPrunesOptions, findPrunes } from "./find-prunes.ts";

const { aUserMessage, anAssistantMessage, aRound, aToolCall, aToolResult } = messageBuilder();
const BULK = "x".repeat(4_000);
const SETTINGS = { minimumTokens: 200, exemptTools: [] };

const countPart = (part: Part): number => countPartWith(part, charsOverFour);

const viewOf = (messages: readonly Message[]): readonly ViewMessage[] =>
  messages.map((message, index) => ({
    seq: index + 1,
    message,
    shown: message,
    tokens: countMessage(message, charsOverFour),
    fate: "verbatim",
    reason: "",
  }));

const prunesOf = (messages: readonly ViewMessage[], overrides: Partial<FindPrunesOptions> = {}) =>
  findPrunes(messages, { tailStart: messages.length, settings: SETTINGS, countPart, ...overrides });

describe("findPrunes", () => {
  test("replaces bulky output by what was there, how long it was and how to get it back", () => {
    const view = viewOf([aUserMessage("Look."), ...aRound([{ callId: "a", tool: "read_file", output: BULK }])]);
    const result = view[2]?.message.id;
    expect(prunesOf(view)).toEqual([
      {
        seq: 3,
        messageId: result,
        partIndex: 0,
        fate: "pruned",
        replacement: {
          type: "text",
          text: `[Output of read_file removed to save room: 1004 tokens, 4000 characters. Recall message ${result} to read it.]`,
        },
        reason: "Output of read_file of 1004 tokens before the tail",
      },
    ]);
  });

  test("names the tool by the result, else by its call, else not at all", () => {
    const named = aToolResult("a", "", { parts: [{ ...toolResultPart("a", BULK), tool: "run_command" }] });
    const texts = [
      [aToolCall("a", "read_file"), named],
      [aToolCall("a", "read_file"), aToolResult("a", BULK)],
      [aToolResult("a", BULK)],
    ].map((messages) => prunesOf(viewOf(messages))[0]?.reason);
    expect(texts).toEqual([
      expect.stringContaining("Output of run_command"),
      expect.stringContaining("Output of read_file"),
      expect.stringContaining("Output of a tool"),
    ]);
  });

  test("replaces images and files too, where they take more than the placeholder", () => {
    const image: ImagePart = {
      type: "image",
      source: { type: "reference", id: "1" },
      widthPixels: 1_000,
      heightPixels: 1_000,
    };
    const file: Part = {
      type: "file",
      source: { type: "data", base64: btoa(BULK) },
      mediaType: "text/plain",
    };
    const view = viewOf([aUserMessage("", { parts: [textPart("See these."), image, file] })]);
    const prunes = prunesOf(view);
    expect(prunes.map(({ partIndex }) => partIndex)).toEqual([1, 2]);
    expect(prunes.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^An image of \d+ tokens/),
      expect.stringMatching(/^An attached file of \d+ tokens/),
    ]);
  });

  test("leaves words, thoughts and calls alone, however long", () => {
    const thought: Part = { type: "reasoning", text: BULK };
    const call: Part = { type: "tool-call", callId: "a", tool: "edit_file", input: { text: BULK } };
    const view = viewOf([aUserMessage(BULK), anAssistantMessage("", { parts: [thought, textPart(BULK), call] })]);
    expect(prunesOf(view)).toEqual([]);
  });

  test("leaves the tail alone", () => {
    const rounds = ["a", "b"].flatMap((callId) => aRound([{ callId, output: BULK }]));
    expect(prunesOf(viewOf(rounds), { tailStart: 2 }).map(({ seq }) => seq)).toEqual([2]);
    expect(prunesOf(viewOf(rounds), { tailStart: 0 })).toEqual([]);
  });

  test("keeps what went wrong", () => {
    expect(prunesOf(viewOf(aRound([{ callId: "a", output: BULK, failed: true }])))).toEqual([]);
  });

  test("keeps the output of exempt tools", () => {
    const settings = { ...SETTINGS, exemptTools: ["read_plan"] };
    const rounds = [
      ...aRound([{ callId: "a", tool: "read_plan", output: BULK }]),
      ...aRound([{ callId: "b", tool: "read_file", output: BULK }]),
    ];
    expect(prunesOf(viewOf(rounds), { settings }).map(({ seq }) => seq)).toEqual([4]);
  });

  test("keeps output below the minimum, part by part", () => {
    const outputs = [
      { callId: "a", output: "x".repeat(600) },
      { callId: "b", output: BULK },
    ];
    expect(prunesOf(viewOf(aRound(outputs))).map(({ partIndex }) => partIndex)).toEqual([1]);
    expect(prunesOf(viewOf(aRound([{ callId: "a", output: "x".repeat(600) }])))).toEqual([]);
  });

  test("keeps what a placeholder would not make smaller", () => {
    const settings = { ...SETTINGS, minimumTokens: 0 };
    expect(prunesOf(viewOf(aRound([{ callId: "a", output: "found" }])), { settings })).toEqual([]);
  });

  test("leaves messages alone that are pinned, pruned or cut already", () => {
    const view = viewOf(aRound([{ callId: "a", output: BULK }]));
    for (const fate of ["pinned", "pruned", "cut"] as const) {
      expect(prunesOf(view.map((item) => ({ ...item, fate })))).toEqual([]);
    }
  });

  test("makes every part that it names smaller, and names none twice", () => {
    const settings = { minimumTokens: 20, exemptTools: ["get_weather"] };
    fc.assert(
      fc.property(histories(), fc.nat(), (history, place) => {
        const view = viewOf(history);
        const tailStart = place % (history.length + 1);
        const prunes = prunesOf(view, { tailStart, settings });
        for (const { seq, messageId, partIndex, replacement } of prunes) {
          const part = view[seq - 1]?.message.parts[partIndex];
          expect(seq).toBeLessThanOrEqual(tailStart);
          expect(view[seq - 1]?.message.id).toBe(messageId);
          if (part === undefined) throw new TypeError(`There is no part ${partIndex} in ${messageId}.`);
          expect(countPart(replacePart(part, replacement))).toBeLessThan(countPart(part));
          expect(part.type === "tool-result" && part.failed).toBe(false);
        }
        expect(new Set(prunes.map(({ seq, partIndex }) => `${seq}/${partIndex}`)).size).toBe(prunes.length);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
