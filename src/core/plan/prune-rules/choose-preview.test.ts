import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { choosePreview, type PreviewOptions, splitOutputLines } from "./choose-preview.ts";

/** Each character counts as one token, and so does each line end. */
const OPTIONS: PreviewOptions = { previewTokens: 10, errorTokens: 0, errorLines: [], countText: (text) => text.length };

function preview(text: string, options: Partial<PreviewOptions> = {}) {
  const { spans, errorsShown } = choosePreview(splitOutputLines({ type: "text", text }), { ...OPTIONS, ...options });
  return { shown: spans.map(([start, end]) => text.slice(start, end)), errorsShown };
}

describe("choosePreview", () => {
  test("spends half of the budget on the first lines and the rest on the last lines", () => {
    expect(preview("aa\nbb\ncc\ndd\nee").shown).toEqual(["aa", "dd\nee"]);
    expect(preview("aaaaaaaa\nbb\ncc\ndd\nee").shown).toEqual(["cc\ndd\nee"]);
  });

  test("keeps no lines without a budget, and all lines if they fit", () => {
    expect(preview("aa\nbb", { previewTokens: 0 }).shown).toEqual([]);
    expect(preview("aa\r\nbb", { previewTokens: 100 }).shown).toEqual(["aa\r\nbb"]);
    expect(preview("").shown).toEqual([]);
  });

  test("never keeps part of a line", () => {
    expect(preview("aaaaaaaaaaaaaaaaaaaa").shown).toEqual([]);
    expect(preview(`${"a".repeat(1_000_000)}\nbb`, { countText: (text) => text.length / 1e9 }).shown).toEqual(["bb"]);
  });

  test("adds lines about errors in order, with a separate budget", () => {
    const text = "aa\nbb\nE1\ncc\nE2\ndd\nee";
    const both = { errorLines: [2, 4], previewTokens: 6 };
    expect(preview(text, { ...both, errorTokens: 6 })).toEqual({ shown: ["aa", "E1", "E2", "ee"], errorsShown: 2 });
    expect(preview(text, { ...both, errorTokens: 5 })).toEqual({ shown: ["aa", "E1", "ee"], errorsShown: 1 });
    expect(preview(text, { ...both, errorTokens: 2 })).toEqual({ shown: ["aa", "ee"], errorsShown: 0 });
  });

  test("counts a line about an error as shown if it is one of the first lines", () => {
    expect(preview("E1\nbb\ncc", { errorLines: [0], previewTokens: 6 }).errorsShown).toBe(1);
  });

  test("keeps whole lines in order, none twice, within its budgets", () => {
    const texts = fc.array(fc.string({ maxLength: 12 }), { maxLength: 20 }).map((lines) => lines.join("\n"));
    const budgets = fc.record({ previewTokens: fc.nat({ max: 60 }), errorTokens: fc.nat({ max: 60 }) });
    fc.assert(
      fc.property(texts, budgets, fc.nat({ max: 3 }), (text, budget, step) => {
        const lines = splitOutputLines({ type: "text", text });
        const errorLines = step === 0 ? [] : [...lines.keys()].filter((index) => index % (step + 1) === 0);
        const { spans } = choosePreview(lines, { ...OPTIONS, ...budget, errorLines });
        const starts = new Set(lines.map(({ start }) => start));
        const ends = new Set(lines.map(({ end }) => end));
        expect(spans.every(([start, end]) => starts.has(start) && ends.has(end))).toBe(true);
        expect(spans.flat()).toEqual(spans.flat().toSorted((left, right) => left - right));
        const characters = spans.reduce((sum, [start, end]) => sum + end - start, 0);
        expect(characters).toBeLessThanOrEqual(budget.previewTokens + budget.errorTokens);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
