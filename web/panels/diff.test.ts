import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "./diff.ts";

const sign = { same: " ", went: "-", came: "+" } as const;
const write = (before: string, after: string) =>
  diffLines(before, after).map(({ type, text }) => `${sign[type]}${text}`);

test("lines that stayed stand between those that went and came", () => {
  expect(write("Goal:\n- a\n- b\nNames:", "Goal:\n- b\n- c\nNames:")).toEqual([
    " Goal:",
    "-- a",
    " - b",
    "+- c",
    " Names:",
  ]);
});

test("everything of a first summary came", () => {
  expect(write("", "Goal:\n- a")).toEqual(["+Goal:", "+- a"]);
});

test("both texts can be read from it, whatever they are", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { minLength: 1 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const without = (type: string) => lines.filter((line) => line.type !== type).map((line) => line.text);
      expect(without("came").join("\n")).toBe(before);
      expect(without("went").join("\n")).toBe(after);
    }),
  );
});
