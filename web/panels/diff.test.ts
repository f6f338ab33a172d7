import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "./diff.ts";

const sign = { same: " ", removed: "-", added: "+" } as const;
const write = (before: string, after: string) =>
  diffLines(before, after).map(({ type, text }) => `${sign[type]}${text}`);

test("the difference of two texts lists removed, added and unchanged lines in order", () => {
  expect(write("Goal:\n- a\n- b\nNames:", "Goal:\n- b\n- c\nNames:")).toEqual([
    " Goal:",
    "-- a",
    " - b",
    "+- c",
    " Names:",
  ]);
});

test("all lines of a first summary are added", () => {
  expect(write("", "Goal:\n- a")).toEqual(["+Goal:", "+- a"]);
});

test("both texts can be rebuilt from their difference, for any texts", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { minLength: 1 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const without = (type: string) => lines.filter((line) => line.type !== type).map((line) => line.text);
      expect(without("added").join("\n")).toBe(before);
      expect(without("removed").join("\n")).toBe(after);
    }),
  );
});
