import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countByCharacters, viewOf } from "../../../test/support/core-values.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder, textPart } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import type { Prune } from "../log/prune.ts";
import { reviseView, type View } from "../log/view.ts";
import type { Part } from "../message/message.ts";
import { countPart as countPartWith } from "../tokens/count-message.ts";
import { charsOverFour } from "../tokens/rough-counters.ts";
import { findCuts, findOversizedCuts } from "./find-cuts.ts";
import { type Change, foldChanges } from "./proposal.ts";

const { aUserMessage, aSystemMessage, anAssistantMessage, aToolCall, aToolResult, anExchange } = messageBuilder();
const count = countByCharacters;
const countPart = (part: Part): number => countPartWith(part, charsOverFour);

const sizeOf = ({ kept, messages }: View): number =>
  [...kept, ...messages].reduce((sum, { tokens }) => sum + tokens, 0);
const cutsOf = (view: View, goalTokens: number): readonly (readonly Prune[])[] => [
  ...findCuts(view, { goalTokens, shownTokens: sizeOf(view), countPart }),
];
const cutView = (view: View, prunes: readonly Prune[]): View =>
  reviseView(view, foldChanges(view.head, [{ type: "prune", prunes, reason: "" }]), { count });
const placesOf = (prunes: readonly Prune[] | undefined) => prunes?.map(({ seq, partIndex }) => `${seq}/${partIndex}`);

const LONG = "abcdefghij".repeat(400);

describe("findCuts", () => {
  test("cuts all large parts to the same size, and leaves small ones whole", () => {
    const view = viewOf([aUserMessage(LONG), aUserMessage(LONG.slice(0, 2_000)), aUserMessage("Short.")]);
    const [first] = cutsOf(view, 800);
    expect(placesOf(first)).toEqual(["1/0", "2/0"]);
    const sizes = cutView(view, first ?? []).messages.map(({ tokens }) => tokens);
    // The numbers in the markers have different lengths.
    expect(Math.abs((sizes[0] ?? 0) - (sizes[1] ?? 0))).toBeLessThanOrEqual(1);
    expect(sizes[2]).toBe(view.messages[2]?.tokens);
  });

  test("does not cut parts below the level", () => {
    const view = viewOf([aUserMessage(LONG), aUserMessage("x".repeat(400))]);
    expect(placesOf(cutsOf(view, 600)[0])).toEqual(["1/0"]);
  });

  test("keeps both ends of a text with a marker between them, and gives the reason", () => {
    const view = viewOf([aUserMessage(`BEGIN ${LONG} END`)]);
    const [first] = cutsOf(view, 200);
    expect(first?.[0]).toMatchObject({
      seq: 1,
      partIndex: 0,
      fate: "cut",
      reason: expect.stringMatching(/^larger than \d+ tokens/),
    });
    const [part] = cutView(view, first ?? []).messages[0]?.shown.parts ?? [];
    expect(part?.type === "text" && part.text).toMatch(
      /^BEGIN abc[a-j]*\n\[… \d+ characters cut to save room; message \S+ has them …\]\n[a-j]*j END$/,
    );
  });

  test("yields cuts near the goal first, then smaller and smaller ones", () => {
    const view = viewOf([aUserMessage(LONG), aUserMessage(LONG), aUserMessage(LONG)]);
    const sizes = cutsOf(view, 900).map((prunes) => sizeOf(cutView(view, prunes)));
    expect(Math.abs((sizes[0] ?? 0) - 900)).toBeLessThan(60);
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes).toEqual(sizes.toSorted((left, right) => right - left));
  });

  test("keeps at least 64 characters of a text", () => {
    const view = viewOf([aUserMessage(LONG)]);
    const least = cutsOf(view, 0).at(-1)?.[0]?.replacement;
    expect(least).toMatchObject({ type: "middle", keepCharacters: 64 });
  });

  test("yields nothing if no part is large", () => {
    expect(cutsOf(viewOf(anExchange("Hello.", "Hello!")), 0)).toEqual([]);
    expect(cutsOf(viewOf([]), 0)).toEqual([]);
  });

  test("cuts each string in the inputs and outputs of tools separately", () => {
    const call = aToolCall("a", "edit_file", { path: "a.ts", before: LONG, after: LONG });
    const view = viewOf([aUserMessage("Edit."), call, aToolResult("a", LONG), ...anExchange("Thanks.", "Welcome.")]);
    const [first, second] = cutsOf(view, 300);
    expect(placesOf(first)).toEqual(["3/0"]);
    const shown = cutView(view, second ?? []).messages;
    expect(shown[1]?.shown.parts[0]).toMatchObject({ type: "tool-call", input: { path: "a.ts" } });
    expect(shown[1]?.tokens).toBeLessThan(200);
    expect(shown[2]?.tokens).toBeLessThan(200);
  });

  test("first cuts tool results alone, then all parts", () => {
    const view = viewOf([aUserMessage(LONG), aToolCall("a", "read_file", {}), aToolResult("a", LONG)]);
    const [first, second] = cutsOf(view, 1_400);
    expect(placesOf(first)).toEqual(["3/0"]);
    expect(sizeOf(cutView(view, first ?? []))).toBeLessThan(1_420);
    expect(placesOf(second)).toEqual(["1/0", "3/0"]);
  });

  test("replaces an image with a short text", () => {
    const image: Part = {
      type: "image",
      source: { type: "reference", id: "1" },
      widthPixels: 2_000,
      heightPixels: 2_000,
    };
    const view = viewOf([aUserMessage("", { parts: [textPart("See."), image] })]);
    const [first] = cutsOf(view, 50);
    expect(first?.map(({ partIndex, replacement }) => [partIndex, replacement])).toEqual([
      [1, { type: "text", text: "[image removed to save room; it can be recalled]" }],
    ]);
  });

  test("does not cut instructions and pinned messages", () => {
    const pin: Change = { type: "pin", target: { type: "messages", messageId: "m2", seqs: [2] } };
    const view = viewOf([aSystemMessage(LONG), aUserMessage(LONG), aUserMessage(LONG)], pin);
    expect(cutsOf(view, 0).every((prunes) => placesOf(prunes)?.join() === "3/0")).toBe(true);
  });

  test("cuts a kept request below the view floor, and nothing else there", () => {
    const coverage = { firstSeq: 1, lastSeq: 2, count: 2 };
    const truncate: Change = { type: "truncate", coverage, coveredTokens: 0, keptRequests: [2], reason: "" };
    const view = viewOf([aUserMessage(LONG), aUserMessage(LONG), aUserMessage(LONG)], truncate);
    expect(placesOf(cutsOf(view, 200)[0])).toEqual(["2/0", "3/0"]);
  });

  test("keeps thinking in the open turn whole, and replaces older thinking entirely", () => {
    const thinking = () => anAssistantMessage("", { parts: [{ type: "reasoning", text: LONG }, textPart("Done.")] });
    const view = viewOf([aUserMessage("One."), thinking(), aUserMessage("Two."), thinking()]);
    for (const prunes of cutsOf(view, 0)) {
      expect(placesOf(prunes)).toEqual(["2/0"]);
      expect(prunes[0]?.replacement.type).toBe("text");
    }
  });

  test("cuts a part again only if it becomes smaller than its current cut", () => {
    const earlier = (replacement: Prune["replacement"]): Change => ({
      type: "prune",
      prunes: [{ seq: 1, messageId: "m1", partIndex: 0, fate: "cut", replacement, reason: "" }],
      reason: "",
    });
    const cut = earlier({ type: "middle", keepCharacters: 400, marker: "…" });
    const placeholder = earlier({ type: "text", text: `[removed: ${"x".repeat(200)}]` });
    for (const change of [cut, placeholder]) {
      const view = viewOf([aUserMessage(LONG.repeat(4)), aUserMessage("Go on.")], change);
      for (const prunes of cutsOf(view, 40)) expect(sizeOf(cutView(view, prunes))).toBeLessThan(sizeOf(view));
    }
  });

  test("never makes a view larger, and cuts most at the last level, apart from rounding", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 4 }), fc.nat({ max: 2_000 }), (history, goalTokens) => {
        const view = viewOf(history.map((message, index) => ({ ...message, id: `m${index}` })));
        const cuts = cutsOf(view, goalTokens);
        const sizes = cuts.map((prunes) => sizeOf(cutView(view, prunes)));
        const rounding = 2 + (cuts.at(-1)?.length ?? 0);
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(sizeOf(view) + rounding);
        expect(sizes.at(-1) ?? 0).toBeLessThanOrEqual(Math.min(sizeOf(view), ...sizes) + rounding);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("findOversizedCuts", () => {
  const oversized = (view: View, roomTokens: number) =>
    findOversizedCuts(view, { roomTokens, levelTokens: 100, countPart });

  test("cuts only parts that are larger than the room", () => {
    const view = viewOf([aUserMessage(LONG), aUserMessage("x".repeat(1_200)), aUserMessage("Go on.")]);
    expect(placesOf(oversized(view, 500))).toEqual(["1/0"]);
    expect(cutView(view, oversized(view, 500)).messages.map(({ tokens }) => tokens < 120)).toEqual([true, false, true]);
    expect(oversized(view, 1_000)).toEqual([]);
  });

  test("does not cut images", () => {
    const image: Part = { type: "image", source: { type: "reference", id: "1" } };
    expect(oversized(viewOf([aUserMessage("", { parts: [image] })]), 10)).toEqual([]);
  });

  test("does not cut instructions and pinned messages", () => {
    const pin: Change = { type: "pin", target: { type: "messages", messageId: "m2", seqs: [2] } };
    expect(oversized(viewOf([aSystemMessage(LONG), aUserMessage(LONG)], pin), 10)).toEqual([]);
  });
});
