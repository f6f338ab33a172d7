import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { texts } from "../../../testing/generate-texts.ts";
import { countText } from "../../tokens/count-text.ts";
import { estimate } from "../../tokens/estimate.ts";
import { charsOverFour } from "../../tokens/rough-counters.ts";
import { trimSummary } from "./trim-summary.ts";

describe("trimSummary", () => {
  test("does not change a summary that fits the cap", () => {
    const text = "All of it. Fits";
    expect(trimSummary(text, { capTokens: 100, counter: estimate })).toMatchObject({ text, isTrimmed: false });
  });

  test("cuts after the last sentence that fits the cap", () => {
    const text = "The user chose SQLite (v3.45.1, e.g. for tests). The migration is open. Nobody owns it yet.";
    const trimmed = trimSummary(text, { capTokens: 18, counter: charsOverFour });
    expect(trimmed).toEqual({
      text: "The user chose SQLite (v3.45.1, e.g. for tests). The migration is open.",
      tokens: 18,
      isTrimmed: true,
      endsWhole: true,
    });
    expect(trimSummary(text, { capTokens: 13, counter: charsOverFour }).text).toBe(
      "The user chose SQLite (v3.45.1, e.g. for tests).",
    );
  });

  test("cuts after a list item, and drops a heading without items", () => {
    const text = "## Decisions\n- use SQLite\n- keep the port\n\n## Open items\n- the migration of the old rows";
    expect(trimSummary(text, { capTokens: 16, counter: charsOverFour }).text).toBe(
      "## Decisions\n- use SQLite\n- keep the port",
    );
  });

  test("cuts after a sentence in Chinese", () => {
    const text = "用户选择了数据库。迁移尚未完成。没有人负责。";
    expect(trimSummary(text, { capTokens: 4, counter: charsOverFour }).text).toBe("用户选择了数据库。迁移尚未完成。");
  });

  test("cuts after a word if no sentence fits, and returns endsWhole false", () => {
    const trimmed = trimSummary("one sentence that goes on and on without any end", {
      capTokens: 6,
      counter: charsOverFour,
    });
    expect(trimmed).toEqual({ text: "one sentence that goes…", tokens: 6, isTrimmed: true, endsWhole: false });
  });

  test("returns the beginning of any text within the cap", () => {
    fc.assert(
      fc.property(texts({ longestCharacters: 3_000 }), fc.integer({ min: 1, max: 200 }), (text, capTokens) => {
        const { text: kept, tokens, isTrimmed, endsWhole } = trimSummary(text, { capTokens, counter: estimate });
        expect(tokens).toBe(countText(kept, estimate));
        expect(tokens).toBeLessThanOrEqual(capTokens);
        expect(text.startsWith(endsWhole ? kept : kept.slice(0, -1))).toBe(true);
        expect(isTrimmed).toBe(kept !== text);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
