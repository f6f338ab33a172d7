import { describe, expect, test } from "vitest";
import type { Fact } from "../record/record.ts";
import { isStillDone } from "./compose-text.ts";

const done = (text: string, lastTurn = 0): Fact => ({
  id: "f1",
  kind: "open-item",
  text,
  source: "m1",
  saidBy: "assistant",
  status: "done",
  lastTurn,
  uses: 1,
});

describe("isStillDone", () => {
  test("returns true for an addition from an earlier turn", () => {
    expect(isStillDone(done("Added the retry to the order form."), 9)).toBe(true);
  });

  test("returns true for passing tests only in the newest turn", () => {
    expect(isStillDone(done("All tests pass now."), 9)).toBe(false);
    expect(isStillDone(done("All tests pass now.", 8), 9)).toBe(true);
  });

  test("returns false for a single word, and for a line that only introduces a list", () => {
    expect(isStillDone(done("Fixed.", 8), 9)).toBe(false);
    expect(isStillDone(done("Added three new tests:", 8), 9)).toBe(false);
  });
});
