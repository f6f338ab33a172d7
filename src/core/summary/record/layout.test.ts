import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { texts } from "../../../testing/generate-texts.ts";
import { foldLine } from "../text/fold-line.ts";
import { joinLines, type Layout, readStory, writeLines } from "./layout.ts";

const lists = { goals: [], constraints: [], said: [], reported: [], decisions: [], known: [], open: [], done: [] };
const EMPTY_LAYOUT: Layout = { ...lists, story: [], names: [] };
const plain = (text: string) => ({ text, messageIds: [] });
const writeLayout = (layout: Layout): string => joinLines(writeLines(layout));

describe("writeLines", () => {
  test("writes each heading once, and omits headings without lines", () => {
    const text = writeLayout({
      ...EMPTY_LAYOUT,
      goals: [{ text: "Build a page.", messageIds: ["m1"] }],
      story: [{ body: "User: Hello." }, { body: "Assistant: Done.", date: "2024-05-03" }],
      names: [{ label: "Edit", names: ["src/a.ts", "src/b.ts"], messageIds: ["m1", "m2"] }],
    });
    expect(text.split("\n")).toEqual([
      "Goal:",
      "- Build a page.",
      "What happened:",
      "- User: Hello.",
      "- 2024-05-03 Assistant: Done.",
      "Names:",
      "- Edit: src/a.ts; src/b.ts",
    ]);
    expect(writeLayout(EMPTY_LAYOUT)).toBe("");
  });
});

describe("readStory", () => {
  const lines = fc.record({
    body: texts({ longestCharacters: 200 }).map((text) => `User: ${foldLine(text)}`),
    date: fc.constantFrom(undefined, "2024-05-03", "2024-05-04"),
  });

  test("parses the story that writeLines wrote, with its dates, for any text", () => {
    fc.assert(
      fc.property(fc.array(lines), (story) => {
        const text = writeLayout({ ...EMPTY_LAYOUT, open: [plain("What happened:")], story, done: [plain("Names:")] });
        expect(readStory(text)).toEqual(story);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns no lines for a text in another layout", () => {
    expect(readStory("They talked.\n- User: Hello.")).toEqual([]);
  });
});
