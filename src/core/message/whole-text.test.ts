import { expect, test } from "vitest";
import { takeHead, takeTail } from "./whole-text.ts";

test("takeHead and takeTail never split a surrogate pair", () => {
  expect([takeHead("a😀b", 2), takeHead("a😀b", 3), takeTail("a😀b", 2), takeTail("a😀b", 3)]).toEqual([
    "a",
    "a😀",
    "b",
    "😀b",
  ]);
});
