import { describe, expect, test } from "vitest";
import { comparePrompts, countCommonCharacters } from "./compare-prompts.ts";

const blocks = (...texts: readonly string[]) => texts.map((text) => ({ role: "user", text }));

describe("comparePrompts", () => {
  test("a prompt that continues another prompt differs from it by the added blocks", () => {
    const compared = comparePrompts(blocks("a", "b"), blocks("a", "b", "c"));
    expect(compared).toEqual({ same: 2, removed: [], added: blocks("c"), moved: 0 });
  });

  test("after a compaction the summarized blocks are removed and the summary is added", () => {
    const compared = comparePrompts(blocks("a", "b", "c", "d"), blocks("a", "sum", "d"));
    expect(compared).toEqual({ same: 1, removed: blocks("b", "c"), added: blocks("sum"), moved: 1 });
  });

  test("blocks after a summary count as moved, even if an answer follows them", () => {
    const compared = comparePrompts(blocks("a", "b", "c", "d"), blocks("a", "sum", "c", "d", "answer"));
    expect(compared).toEqual({ same: 1, removed: blocks("b"), added: blocks("sum", "answer"), moved: 2 });
  });

  test("each occurrence of a repeated block is compared separately", () => {
    expect(comparePrompts(blocks("a", "a"), blocks("a"))).toEqual({
      same: 1,
      removed: blocks("a"),
      added: [],
      moved: 0,
    });
    expect(comparePrompts([], [])).toEqual({ same: 0, removed: [], added: [], moved: 0 });
  });

  test("blocks with the same text and different roles differ", () => {
    const other = [{ role: "assistant", text: "a" }];
    expect(comparePrompts(blocks("a"), other)).toMatchObject({ same: 0, removed: blocks("a"), added: other });
  });
});

test("the long start that two texts share is counted up to the line in which they differ", () => {
  const start = "The same line again and again.\n".repeat(6);
  expect(countCommonCharacters(`${start}This one.`, `${start}That one.`)).toBe(start.length);
  expect(countCommonCharacters("Short.\nThis", "Short.\nThat")).toBe(0);
  expect(countCommonCharacters("", "")).toBe(0);
});
