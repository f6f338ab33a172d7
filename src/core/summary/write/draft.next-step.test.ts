import { describe, expect, test } from "vitest";
import type { Fact } from "../record/record.ts";
import { findNextStep } from "./draft.ts";

const item = (text: string, given: Partial<Fact> = {}): Fact => ({
  id: text,
  kind: "open-item",
  text,
  source: "m1",
  saidBy: "assistant",
  status: "open",
  lastTurn: 0,
  uses: 1,
  ...given,
});

describe("findNextStep", () => {
  test("returns the first open item of the newest turn", () => {
    const items = [item("old"), item("done", { lastTurn: 2, status: "done" }), item("next", { lastTurn: 2 })];
    expect(findNextStep([...items, item("later", { lastTurn: 2 })])?.text).toBe("next");
  });

  test("returns undefined if only the user's items are open, or none", () => {
    expect(findNextStep([item("asked", { saidBy: "user" }), item("why?", { kind: "question" })])).toBeUndefined();
    expect(findNextStep([])).toBeUndefined();
  });
});
