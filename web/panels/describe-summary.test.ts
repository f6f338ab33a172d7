import { expect, test } from "vitest";
import { readSummary } from "../api/read-summaries.ts";
import { sayFigures } from "./describe-summary.ts";

const record = { tokensBefore: 900, tokensAfter: 1, strategy: "edited", reason: "asked for" };
const verification = { score: 0.98, claims: 40, removedClaims: 1, restored: ["a", "b"], evicted: [] };

test("a summary that somebody edited says so, and that nobody checked it", () => {
  const said = "900 → 1 token, edited by hand. Somebody asked for it. What somebody writes is not checked.";
  expect(sayFigures(readSummary({ record }))).toBe(said);
});

test("one of code or of a model says who wrote it, for how much, and what the check found", () => {
  expect(sayFigures(readSummary({ record: { ...record, strategy: "offline", verification } }))).toBe(
    "900 → 1 token, written by code, without a model, at no cost. Somebody asked for it. Checked: 98% of 40 claims held, 2 put back, 1 removed.",
  );
  const model = { ...record, strategy: "handoff", model: "small-model", costUsd: 0.0042, tokensAfter: 80, reason: "" };
  expect(sayFigures(readSummary({ record: model }))).toBe(
    "900 → 80 tokens, written by small-model, for $0.0042. It was not checked.",
  );
});
