import { expect, test } from "vitest";
import { takeHead, takeTail } from "./whole-text.ts";

test("heads and tails end between characters", () => {
  expect([takeHead("a😀b", 2), takeHead("a😀b", 3), takeTail("a😀b", 2), takeTail("a😀b", 3)]).toEqual([
    "a",
    "a😀",
    "b",
    "😀b",
  ]);
});
