import { expect, test } from "vitest";
import { divideWindow } from "./window-parts.ts";

const section = (name: string, tokens: number) => ({ name, tokens, messages: 0, breakpoint: false });

test("the parts of a window add up to it, whatever an estimate is given on top", () => {
  const view = { windowTokens: 6_000, reserveTokens: 1_000, limitTokens: 5_000, tokens: 4_189 };
  const sections = [section("instructions", 38), section("tools", 0), section("history", 3_951)];
  const parts = divideWindow({ ...view, sections });
  expect(parts.map(({ name, tokens }) => [name, tokens])).toEqual([
    ["instructions", 38],
    ["history", 3_951],
    ["reserve", 1_000],
    ["margin", 200],
    ["free", 811],
  ]);
  const exact = divideWindow({ ...view, tokens: 3_989, sections });
  expect(exact.map(({ name }) => name)).toEqual(["instructions", "history", "reserve", "free"]);
  expect(exact.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(6_000);
});
