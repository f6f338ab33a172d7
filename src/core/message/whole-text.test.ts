import { expect, test } from "vitest";
import { wholeHead, wholeTail } from "./whole-text.ts";

test("heads and tails end between characters", () => {
  expect([wholeHead("a😀b", 2), wholeHead("a😀b", 3), wholeTail("a😀b", 2), wholeTail("a😀b", 3)]).toEqual([
    "a",
    "a😀",
    "b",
    "😀b",
  ]);
});
