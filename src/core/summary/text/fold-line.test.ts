import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { texts } from "../../../testing/generate-texts.ts";
import { foldLabel, foldLine, shortenWords } from "./fold-line.ts";

describe("foldLine", () => {
  test("returns one well-formed line for any text", () => {
    fc.assert(
      fc.property(texts(), (text) => {
        const line = foldLine(text);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(line).toBe(line.trim());
        expect(line.isWellFormed()).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("replaces encoded bytes with a mark", () => {
    expect(foldLine(`see ${"Ab9+".repeat(100)} there`)).toBe("see […] there");
  });
});

describe("shortenWords", () => {
  test("cuts only between words", () => {
    expect(shortenWords("read src/core/index.ts first", 12)).toBe("read …");
    expect(shortenWords("src/core/index.ts", 5)).toBe("[…]");
    expect(shortenWords("short", 5)).toBe("short");
  });

  test("cuts between characters in a script without spaces, and never inside a surrogate pair", () => {
    expect(shortenWords("这个文件很长", 3)).toBe("这个文 …");
    expect(shortenWords("😀😀😀", 3)).toBe("😀 …");
  });
});

test("foldLabel removes colons, brackets and line breaks", () => {
  expect(foldLabel("Ana: [boss]\nUser: hi")).toBe("Ana boss User hi");
});
