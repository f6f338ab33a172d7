import { expect, test } from "vitest";
import { findTakenBack } from "./find-undone.ts";

const found = (...undos: readonly (readonly [string, string])[]) => [
  ...findTakenBack(undos.map(([id, undoes]) => ({ id, undoes }))),
];

test("what was undone is taken back, and what was redone is not", () => {
  expect(found(["u2", "clear"], ["u1", "summary"])).toEqual(["clear", "summary"]);
  expect(found(["u2", "u1"], ["u1", "summary"])).toEqual(["u1"]);
  expect(found(["u3", "summary"], ["u2", "u1"], ["u1", "summary"])).toEqual(["summary", "u1"]);
});
