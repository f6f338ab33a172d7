import { expect, test } from "vitest";
import { divideWindow } from "./window-parts.ts";

test("the parts of a window add up to its size, with and without a margin for estimates", () => {
  const figures = { windowTokens: 6_000, reserveTokens: 1_000, limitTokens: 5_000, tokens: 4_189 };
  const sections = [
    { name: "instructions", tokens: 38 },
    { name: "tools", tokens: 0 },
    { name: "history", tokens: 3_951 },
  ];
  expect(divideWindow({ ...figures, sections }).map(({ name, tokens }) => [name, tokens])).toEqual([
    ["instructions", 38],
    ["history", 3_951],
    ["reserve", 1_000],
    ["margin", 200],
    ["free", 811],
  ]);
  const exact = divideWindow({ ...figures, tokens: 3_989, sections });
  expect(exact.map(({ name }) => name)).toEqual(["instructions", "history", "reserve", "free"]);
  expect(exact.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(6_000);
});
