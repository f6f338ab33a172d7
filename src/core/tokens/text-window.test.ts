import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { RUN_CHARACTERS, takeWindow, WINDOW_CHARACTERS } from "./text-window.ts";

/** Texts with short and long runs, blanks, surrogate pairs and lone surrogates. */
const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc
        .tuple(fc.constantFrom("a", " ", "\n", "界", "😀", "\ud83d", "x y ", "-"), fc.nat(3_000))
        .map(([unit, times]) => unit.repeat(times)),
    ),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join(""));

function windowsOf(text: string): readonly string[] {
  const windows: string[] = [];
  for (let start = 0; start < text.length; ) {
    const window = takeWindow(text, start).text;
    windows.push(window);
    start += window.length;
  }
  return windows;
}

describe("takeWindow", () => {
  test("returns windows that form the whole text when joined", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(windowsOf(text).join("")).toBe(text);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("never returns an empty window, more than 2,048 characters, or more than 512 without a blank", () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const window of windowsOf(text)) {
          expect(window.length).toBeGreaterThan(0);
          expect(window.length).toBeLessThanOrEqual(WINDOW_CHARACTERS);
          const longestRun = Math.max(0, ...window.split(/[\s\u3000]/).map((run) => run.length));
          expect(longestRun).toBeLessThanOrEqual(RUN_CHARACTERS);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("never splits a surrogate pair", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const windows = windowsOf(text);
        for (const [index, window] of windows.entries()) {
          const joint = (window.at(-1) ?? "") + (windows[index + 1]?.at(0) ?? "");
          expect(/^[\ud800-\udbff][\udc00-\udfff]$/.test(joint)).toBe(false);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("cuts before a blank, because a token includes the space before a word", () => {
    const [first = "", second = ""] = windowsOf("word ".repeat(1_000));
    expect(first.endsWith("word")).toBe(true);
    expect(second.startsWith(" word")).toBe(true);
  });

  test("returns more work for base64 and Chinese than for prose", () => {
    const prose = takeWindow("some words ".repeat(500), 0);
    const run = takeWindow("k3J+".repeat(500), 0);
    const chinese = takeWindow("語".repeat(2_000), 0);
    expect(prose.work).toBe(prose.text.length);
    expect(run.work / run.text.length).toBe(6);
    expect(chinese.work / chinese.text.length).toBe(24);
  });
});
