import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { texts } from "../../../testing/generate-texts.ts";
import { foldLabel, foldLine, shortenWords, withoutJsonMarks } from "./fold-line.ts";

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

describe("withoutJsonMarks", () => {
  test.each([
    ['{"seats": {"economy": 4}, "path": "C:\\\\new"}', "seats: economy: 4, path: C:\\\\new"],
    ['[{"a":"b","c":{"d":[1,2]}}]', "a: b, c: d: 1,2"],
    ['"last_four": "1907", "id": "card_19"}}', "last_four: 1907, id: card_19"],
    ['"text": "blue:\\n- sky\\n- sea"}', "text: blue: - sky - sea"],
  ])("writes %j as people read it", (line, text) => {
    expect(withoutJsonMarks(line)).toBe(text);
  });

  test.each(["plain text [x] {y}", "const a = items[0];", "src/[id].ts: not found"])("keeps %j", (line) => {
    expect(withoutJsonMarks(line)).toBe(line);
  });
});
