import { describe, expect, test } from "vitest";
import { sharesNoWords } from "./accept-summary.ts";

const TALK = Array.from(
  { length: 60 },
  (_, index) =>
    `Message ${index}: the port of service-${index} is ${4_000 + index}; never restart it on Friday and in the night.`,
);

describe("sharesNoWords", () => {
  test("returns true for an answer about another subject", () => {
    expect(sharesNoWords("The weather in Paris is lovely and the Eiffel tower shines.", TALK)).toBe(true);
  });

  test.each([
    ["one word of the source", "Restarting is a matter for the weekend and the weather in Paris."],
    ["a number of the source", "Something in the weather of Paris went up to 4017 tonight."],
    ["few words", "Things were said."],
    ["another language", "Die Wetterlage bleibt heiter, und der Turm leuchtet bis zum Morgen."],
    ["another script", "服务的端口从四千开始，星期五不要重启。"],
  ])("returns false for an answer with %s", (_, answer) => {
    expect(sharesNoWords(answer, TALK)).toBe(false);
  });

  test("returns false if the source is short", () => {
    expect(sharesNoWords("The weather in Paris is lovely and the tower shines.", TALK.slice(0, 5))).toBe(false);
  });
});
