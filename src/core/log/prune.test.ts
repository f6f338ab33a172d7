import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder, textPart, toolResultPart } from "../../testing/builders.ts";
import { parts } from "../../testing/generate-parts.ts";
import { texts } from "../../testing/generate-texts.ts";
import type { Part, ToolCallPart } from "../message/message.ts";
import { applyPrunes, cutMiddle, type Prune, type Replacement, replacePart, type Span } from "./prune.ts";

const { anAssistantMessage } = messageBuilder();
const PLACEHOLDER: Replacement = { type: "text", text: "[removed]" };
const MIDDLE: Replacement = { type: "middle", keepCharacters: 10, marker: "[…]" };
const EXCERPT: Replacement = {
  type: "excerpt",
  note: "[shortened]",
  spans: [
    [0, 3],
    [24, 26],
  ],
};
const FIELDS: Replacement = { type: "fields", names: ["content"], text: "[truncated]" };
const LONG = "abcdefghijklmnopqrstuvwxyz";
const CUT = "abcdefg[…]xyz";

const call: ToolCallPart = {
  type: "tool-call",
  callId: "a",
  tool: "edit_file",
  input: { path: "a.ts", texts: [LONG, { deep: LONG }], line: 3, isNew: true, note: null },
  inputText: "{ … }",
};
const signed = { anthropic: { signature: "EqQB" } };

describe("replacePart", () => {
  test.each<[string, Part, Part]>([
    ["a text", { ...textPart(LONG), extras: signed }, textPart("[removed]")],
    [
      "reasoning and its signature",
      { type: "reasoning", text: LONG, extras: signed },
      { type: "reasoning", text: "[removed]" },
    ],
    [
      "the output of a tool result",
      { ...toolResultPart("a", LONG), tool: "read_file", failed: true },
      { ...toolResultPart("a", "[removed]"), tool: "read_file", failed: true },
    ],
    [
      "a JSON output of a tool",
      toolResultPart("a", { type: "json", value: { rows: [1, 2, 3] } }),
      toolResultPart("a", "[removed]"),
    ],
    ["the input of a call", call, { ...call, input: { removed: "[removed]" }, inputText: undefined }],
    ["an image", { type: "image", source: { type: "reference", id: "image-1" } }, textPart("[removed]")],
    [
      "a file",
      { type: "file", source: { type: "reference", id: "file-1" }, mediaType: "application/pdf" },
      textPart("[removed]"),
    ],
    ["a source", { type: "source", id: "source-1", title: LONG }, textPart("[removed]")],
    ["an unknown part", { type: "unknown", format: "gemini", value: {} }, textPart("[removed]")],
  ])("replaces %s with a text", (_, part, expected) => {
    expect(replacePart(part, PLACEHOLDER)).toEqual(expected);
  });

  test.each<[string, Part, Part]>([
    ["a text", textPart(LONG), textPart(CUT)],
    ["reasoning", { type: "reasoning", text: LONG, extras: signed }, { type: "reasoning", text: CUT }],
    ["a tool result", toolResultPart("a", LONG), toolResultPart("a", CUT)],
    [
      "a JSON output of a tool, as text",
      toolResultPart("a", { type: "json", value: { word: LONG } }),
      toolResultPart("a", '{"word"[…]"}'),
    ],
    [
      "every long string in the input of a call",
      call,
      {
        ...call,
        input: { path: "a.ts", texts: [CUT, { deep: CUT }], line: 3, isNew: true, note: null },
        inputText: undefined,
      },
    ],
  ])("cuts the middle of %s", (_, part, expected) => {
    expect(replacePart(part, MIDDLE)).toEqual(expected);
  });

  test.each<[string, Part]>([
    ["an image", { type: "image", source: { type: "reference", id: "image-1" } }],
    ["a file", { type: "file", source: { type: "reference", id: "file-1" }, mediaType: "application/pdf" }],
    ["a source", { type: "source", id: "source-1" }],
    ["an unknown part", { type: "unknown", format: "gemini", value: {} }],
  ])("replaces %s with the marker, because it has no text to cut", (_, part) => {
    expect(replacePart(part, MIDDLE)).toEqual(textPart("[…]"));
  });

  test("keeps a key that is named __proto__ in the input of a call", () => {
    const input = Object.fromEntries([["__proto__", LONG]]);
    const cut = replacePart({ ...call, input }, MIDDLE);
    expect(cut.type === "tool-call" && Object.entries(cut.input ?? {})).toEqual([["__proto__", CUT]]);
  });

  test.each<[string, Part, Part]>([
    ["a note and excerpts of a text", { ...textPart(LONG), extras: signed }, textPart("[shortened]\nabc\n[…]\nyz")],
    [
      "a note and excerpts of a tool result",
      toolResultPart("a", LONG),
      toolResultPart("a", "[shortened]\nabc\n[…]\nyz"),
    ],
    [
      "only the note for the input of a call",
      call,
      { ...call, input: { removed: "[shortened]" }, inputText: undefined },
    ],
    ["only the note for an image", { type: "image", source: { type: "reference", id: "1" } }, textPart("[shortened]")],
  ])("returns %s", (_, part, expected) => {
    expect(replacePart(part, EXCERPT)).toEqual(expected);
  });

  test("omits an empty note, and returns the note alone if there are no excerpts", () => {
    const excerpt = (note: string, spans: readonly Span[]) =>
      replacePart(textPart(LONG), { type: "excerpt", note, spans });
    expect(excerpt("", [[0, 3]])).toEqual(textPart("abc"));
    expect(excerpt("[shortened]", [])).toEqual(textPart("[shortened]"));
  });

  test("replaces fields with the given names at any depth in the input of a call", () => {
    const input = { content: { any: 1 }, files: [{ path: "a.ts", content: LONG }, [{ content: "" }]], contents: LONG };
    const replaced = replacePart({ ...call, input }, FIELDS);
    expect(replaced).toEqual({
      ...call,
      input: {
        content: "[truncated]",
        files: [{ path: "a.ts", content: "[truncated]" }, [{ content: "[truncated]" }]],
        contents: LONG,
      },
      inputText: undefined,
    });
  });

  test.each<[string, Part]>([
    ["a text", textPart(LONG)],
    ["a tool result", toolResultPart("a", { type: "json", value: { content: LONG } })],
    ["an image", { type: "image", source: { type: "reference", id: "1" } }],
  ])("does not replace fields in %s", (_, part) => {
    expect(replacePart(part, FIELDS)).toBe(part);
  });

  test("returns the same bytes for the same input, and does not mutate the part", () => {
    fc.assert(
      fc.property(
        parts({ longestCharacters: 400 }),
        fc.constantFrom(PLACEHOLDER, MIDDLE, EXCERPT, FIELDS),
        (part, replacement) => {
          const before = JSON.stringify(part);
          const once = JSON.stringify(replacePart(part, replacement));
          expect(JSON.stringify(replacePart(part, replacement))).toBe(once);
          expect(JSON.stringify(part)).toBe(before);
        },
      ),
      { numRuns: propertyRuns() },
    );
  });
});

describe("cutMiddle", () => {
  test("takes 70 % of the kept characters from the start and 30 % from the end", () => {
    expect(cutMiddle("a".repeat(50) + "z".repeat(50), { keepCharacters: 10, marker: "…" })).toBe("aaaaaaa…zzz");
  });

  test("returns the text unchanged if the cut would not make it shorter", () => {
    expect(cutMiddle("0123456789abc", { keepCharacters: 10, marker: "[…]" })).toBe("0123456789abc");
    expect(cutMiddle("0123456789abcd", { keepCharacters: 10, marker: "[…]" })).toBe("0123456[…]bcd");
  });

  test("returns only the marker if no characters are kept", () => {
    expect(cutMiddle("abcdef", { keepCharacters: 0, marker: "[…]" })).toBe("[…]");
  });

  test("never splits a surrogate pair", () => {
    for (let keepCharacters = 0; keepCharacters < 20; keepCharacters += 1) {
      for (const text of ["😀".repeat(20), `a${"😀".repeat(20)}`, `${"😀".repeat(20)}z`]) {
        expect(cutMiddle(text, { keepCharacters, marker: "…" }).isWellFormed()).toBe(true);
      }
    }
  });

  test("returns the start and end of the text, and never more than the kept characters and the marker", () => {
    fc.assert(
      fc.property(texts({ longestCharacters: 300 }), fc.nat({ max: 100 }), (text, keepCharacters) => {
        const cut = cutMiddle(text, { keepCharacters, marker: "[…]" });
        expect(cut.length).toBeLessThanOrEqual(Math.min(text.length, keepCharacters + 3));
        if (cut === text) return;
        const [head = "", tail = ""] = splitAt(cut, text);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(cut.isWellFormed() || !text.isWellFormed()).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

/** Returns the kept start and end of a cut text. */
function splitAt(cut: string, text: string): readonly string[] {
  const places = [...cut.matchAll(/\[…\]/g)].map(({ index }) => [cut.slice(0, index), cut.slice(index + 3)]);
  return places.find(([head = "", tail = ""]) => text.startsWith(head) && text.endsWith(tail)) ?? [cut, cut];
}

describe("applyPrunes", () => {
  const message = anAssistantMessage("", { parts: [textPart(LONG), call, textPart("short")] });
  const prune = (partIndex: number, replacement: Replacement): Prune => ({
    seq: 1,
    messageId: message.id,
    partIndex,
    fate: "pruned",
    replacement,
    reason: "to save room",
  });

  test("returns the same message object if there is nothing to prune", () => {
    expect(applyPrunes(message, [])).toBe(message);
  });

  test("replaces the parts that the prunes name, and returns the same objects for the others", () => {
    const shown = applyPrunes(message, [prune(0, PLACEHOLDER), prune(2, MIDDLE)]);
    expect(shown).toEqual({ ...message, parts: [textPart("[removed]"), call, textPart("short")] });
    expect(shown.parts[1]).toBe(call);
  });

  test("does not mutate the message", () => {
    const before = JSON.stringify(message);
    applyPrunes(message, [prune(0, PLACEHOLDER)]);
    expect(JSON.stringify(message)).toBe(before);
  });

  test("ignores a prune of a part that does not exist", () => {
    expect(applyPrunes(message, [prune(9, PLACEHOLDER)])).toEqual(message);
  });
});
