import { describe, expect, test } from "vitest";
import { hasTrait, scoreClosing, TRAIT_NAMES, traitsOf } from "./turn-traits.ts";

describe("traitsOf", () => {
  test.each([
    ["I'm looking for a quiet hotel.", "requests"],
    ["i 'd like a table for two", "requests"],
    ["Could you please check my balance?", "requests"],
    ["What do you do for fun?", "smallTalk"],
    ["Is the pool open?", "asks"],
    ["営業時間は？", "asks"],
    ["And how about you?", "asksBack"],
    ["Yes, that works.", "agrees"],
    ["Wow, really?", "reacts"],
    ["They close at ten.", "pointsBack"],
    ["Thank you, that's all.", "hasEnough"],
    ["You're welcome, have a nice day.", "leaves"],
    ["Is there anything else?", "offersMore"],
  ] as const)("in %j, finds the trait %s", (text, name) => {
    expect(hasTrait(traitsOf(text), name)).toBe(1);
  });

  test("returns no trait for an empty text, and knows at most 31 distinct traits", () => {
    expect(traitsOf("")).toBe(0);
    expect(TRAIT_NAMES.length).toBeLessThanOrEqual(31);
    expect(new Set(TRAIT_NAMES).size).toBe(TRAIT_NAMES.length);
  });

  test("ignores a request at the end of a long turn", () => {
    const text = `${"The ledger was closed in the evening. ".repeat(10)}I need a hotel.`;
    expect(hasTrait(traitsOf(text), "requests")).toBe(0);
  });
});

describe("scoreClosing", () => {
  test("returns a higher value for a short thank-you than for thanks in a long turn", () => {
    const thanks = traitsOf("Thanks!");
    expect(scoreClosing(thanks, 1)).toBeGreaterThan(scoreClosing(thanks, 40));
    expect(scoreClosing(traitsOf("Goodbye, thank you, that is all."), 6)).toBe(1);
    expect(scoreClosing(traitsOf("The ledger was closed."), 4)).toBe(0);
  });
});
