/** What differs between two prompts. */
import { describe, expect, test } from "vitest";
import { comparePrompts, countSame } from "../../web/panels/compare-prompts.ts";

const blocks = (...texts: readonly string[]) => texts.map((text) => ({ role: "user", text }));

describe("two prompts", () => {
  test("of which one goes on from the other differ by what came", () => {
    const compared = comparePrompts(blocks("a", "b"), blocks("a", "b", "c"));
    expect(compared).toEqual({ same: 2, gone: [], come: blocks("c"), moved: 0 });
  });

  test("between which something was folded differ by what stood there and what stands there", () => {
    const compared = comparePrompts(blocks("a", "b", "c", "d"), blocks("a", "sum", "d"));
    expect(compared).toEqual({ same: 1, gone: blocks("b", "c"), come: blocks("sum"), moved: 1 });
  });

  test("of which the next one also has an answer differ by that and by what was folded alone", () => {
    const compared = comparePrompts(blocks("a", "b", "c", "d"), blocks("a", "sum", "c", "d", "answer"));
    expect(compared).toEqual({ same: 1, gone: blocks("b"), come: blocks("sum", "answer"), moved: 2 });
  });

  test("that repeat a block count none of them twice", () => {
    expect(comparePrompts(blocks("a", "a"), blocks("a"))).toEqual({
      same: 1,
      gone: blocks("a"),
      come: [],
      moved: 0,
    });
    expect(comparePrompts([], [])).toEqual({ same: 0, gone: [], come: [], moved: 0 });
  });

  test("in which another says the same are not the same", () => {
    const other = [{ role: "assistant", text: "a" }];
    expect(comparePrompts(blocks("a"), other)).toMatchObject({ same: 0, gone: blocks("a"), come: other });
  });
});

describe("two texts", () => {
  test("that begin alike for long are told apart from the line on in which they differ", () => {
    const start = "The same line again and again.\n".repeat(6);
    expect(countSame(`${start}This went.`, `${start}That came.`)).toBe(start.length);
    expect(countSame("Short.\nThis", "Short.\nThat")).toBe(0);
    expect(countSame("", "")).toBe(0);
  });
});
