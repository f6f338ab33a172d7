import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { texts } from "../../../testing/generate-texts.ts";
import { foldLabel, foldLine, shortenWords } from "./fold-line.ts";

describe("foldLine", () => {
  test("gives one well-formed line for any text", () => {
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

  test("leaves a mark where encoded bytes stood", () => {
    expect(foldLine(`see ${"Ab9+".repeat(100)} there`)).toBe("see […] there");
  });
});

describe("shortenWords", () => {
  test("cuts between words and never inside one", () => {
    expect(shortenWords("read src/core/index.ts first", 12)).toBe("read …");
    expect(shortenWords("src/core/index.ts", 5)).toBe("[…]");
    expect(shortenWords("short", 5)).toBe("short");
  });

  test("cuts between two characters where a script has no spaces, and never inside one", () => {
    expect(shortenWords("这个文件很长", 3)).toBe("这个文 …");
    expect(shortenWords("😀😀😀", 3)).toBe("😀 …");
  });
});

test("a label has nothing in it that ends a label", () => {
  expect(foldLabel("Ana: [boss]\nUser: hi")).toBe("Ana boss User hi");
});
