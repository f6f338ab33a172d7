import { describe, expect, test } from "vitest";
import { textPart, toolResultPart } from "../../testing/builders.ts";
import { type MiddleReplacement, replacePart } from "../log/prune.ts";
import type { Part, ToolCallPart } from "../message/message.ts";
import { addNamesToMarker } from "./fill-cut-marker.ts";

const FILLER = "nothing of any interest stands here ".repeat(40);
const marks = { tail: " …]" };
const middle = (keepCharacters: number): MiddleReplacement => ({ type: "middle", keepCharacters, marker: "[…]" });
const shownOf = (part: Part, keepCharacters: number, known = ""): string =>
  JSON.stringify(replacePart(part, addNamesToMarker(part, middle(keepCharacters), { known, marks })));

describe("addNamesToMarker", () => {
  test("lists the removed names in the marker, in order", () => {
    const part = textPart(`${FILLER}parseOrder calls sendMail and parseOrder ${FILLER}`);
    expect(shownOf(part, 400)).toMatch(
      /\[… \d+ characters cut to save room, and with them the names parseOrder sendMail …\]/,
    );
  });

  test("returns the replacement unchanged if the text has no names", () => {
    expect(addNamesToMarker(textPart(FILLER), middle(400), { known: "", marks })).toEqual(middle(400));
  });

  test("omits names that the summary or the ends of the text show", () => {
    const part = textPart(`openFile ${FILLER}parseOrder and sendMail, closeFile and openFile ${FILLER}`);
    const shown = shownOf(part, 400, "names given to tools: parseOrder");
    expect(shown).toContain("the names sendMail closeFile …]");
  });

  test("uses at most half of the remaining text for names, and prefers short and frequent ones", () => {
    const many = Array.from({ length: 300 }, (_, index) => `orderNumber${index}`).join(" ");
    const part = textPart(`${FILLER}${many} sendMail sendMail sendMail ${FILLER}`);
    const replacement = addNamesToMarker(part, middle(400), { known: "", marks });
    expect(replacement.keepCharacters).toBeGreaterThanOrEqual(200);
    const shown = shownOf(part, 400);
    expect(shown).toContain("sendMail");
    expect(shown.length).toBeLessThan(400 + 80);
  });

  test("lists each name of a tool call in the string that contained it", () => {
    const before = `${FILLER}parseOrder ${FILLER}`;
    const after = `${FILLER}sendMail ${FILLER}`;
    const input = { path: "a.ts", before, after };
    const call: ToolCallPart = { type: "tool-call", callId: "a", tool: "edit_file", input };
    const cut = replacePart(call, addNamesToMarker(call, middle(400), { known: "", marks }));
    expect(cut).toMatchObject({
      input: {
        path: "a.ts",
        before: expect.stringContaining("the names parseOrder …]"),
        after: expect.stringContaining("the names sendMail …]"),
      },
    });
  });

  test("stores positions of names in the replacement, not their text", () => {
    const part = toolResultPart("a", `${FILLER}parseOrder ${FILLER}`);
    expect(JSON.stringify(addNamesToMarker(part, middle(400), { known: "", marks }))).not.toContain("parseOrder");
  });

  test("searches only the ends of a very long text for names", () => {
    const part = textPart(`${FILLER.repeat(20)}parseOrder ${FILLER.repeat(20)}`);
    expect(addNamesToMarker(part, middle(400), { known: "", marks })).toEqual(middle(400));
  });
});
