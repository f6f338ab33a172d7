import { expect, test } from "vitest";
import { describeSummary, separateAddedLines } from "./describe-summary.ts";

const record = { tokensBefore: 900, tokensAfter: 1, strategy: "edited", reason: "edited by hand" };
const verification = { score: 0.98, claims: 40, derivedClaims: 0, removedClaims: 1, restored: ["a", "b"], evicted: [] };

test("an edited summary says that it was edited and not verified", () => {
  expect(describeSummary(record)).toBe("900 → 1 token, edited by hand. Edits are not verified.");
});

test("a generated summary names its author, its cost and the result of its verification", () => {
  expect(describeSummary({ ...record, strategy: "offline", reason: "requested manually", verification })).toBe(
    "900 → 1 token, written by code, without a model, at no cost. Requested manually. Verified: 98% of 40 claims correct, 2 restored, 1 removed.",
  );
  const model = { ...record, strategy: "handoff", model: "small-model", costUsd: 0.0042, tokensAfter: 80, reason: "" };
  expect(describeSummary(model)).toBe("900 → 80 tokens, written by small-model, for $0.0042. Not verified.");
});

test("a summary by code names the model whose answer it replaces, and the rule that rejected the answer", () => {
  const rejected = { model: "small-model", rule: "orders" };
  expect(describeSummary({ ...record, strategy: "offline", rejected, reason: "" })).toBe(
    "900 → 1 token, written by code instead of small-model (orders), at no cost. Not verified.",
  );
});

test("the description of a summary by a model says that the model answered in prose, and how many lines code added", () => {
  const model = { ...record, strategy: "structured", model: "small-model", reason: "", answeredWith: "prose" } as const;
  expect(describeSummary({ ...model, verification: { ...verification, addedLines: 3 } })).toBe(
    "900 → 1 token, written by small-model, at no cost. The model answered in prose, so code made the lists. Verified: 98% of 40 claims correct, 2 restored, 1 removed. Code added 3 lines that the text did not cover.",
  );
  expect(describeSummary({ ...model, answeredWith: "invalid-lists" })).toContain("The model wrote invalid lists");
});

test("the lines that code added are shown apart from the model's text", () => {
  const lines = [
    { text: "What happened:", messageIds: [] },
    { text: "- Ann: sold the boat", messageIds: ["m1"] },
  ];
  const text = "They met.\n\nWhat happened:\n- Ann: sold the boat";
  const added = { ...verification, addedLines: 1 };
  expect(separateAddedLines({ text, lines, verification: added })).toEqual({
    written: "They met.",
    added: "What happened:\n- Ann: sold the boat",
  });
  expect(separateAddedLines({ text, lines, verification })).toEqual({ written: text, added: "" });
});
