import { expect, test } from "vitest";
import { findUndoneIds } from "./read-entries.ts";

const undone = (...undos: readonly (readonly [string, string])[]) => [
  ...findUndoneIds(undos.map(([id, undoes]) => ({ id, undoes }))),
];

test("a change that was redone does not count as undone", () => {
  expect(undone(["u2", "clear"], ["u1", "summary"])).toEqual(["clear", "summary"]);
  expect(undone(["u2", "u1"], ["u1", "summary"])).toEqual(["u1"]);
  expect(undone(["u3", "summary"], ["u2", "u1"], ["u1", "summary"])).toEqual(["summary", "u1"]);
});
