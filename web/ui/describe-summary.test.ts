import { expect, test } from "vitest";
import { describeSummary } from "./describe-summary.ts";

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
