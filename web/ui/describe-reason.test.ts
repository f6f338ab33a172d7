import { expect, test } from "vitest";
import { sayReason, sayReasonWhole } from "./describe-reason.ts";

test("a ratio is told as how much of the room was used", () => {
  const reason = "4823 tokens of a budget of 4962 is a ratio of 0.972, at least 0.6";
  expect(sayReason(reason)).toBe("97% of the room was used");
  expect(sayReasonWhole(reason)).toBe("97% of the room was used.");
});

test("what was asked for says so, and other reasons stay as they are", () => {
  expect(sayReasonWhole("asked for")).toBe("Somebody asked for it.");
  expect(sayReasonWhole("12 messages in no summary, more than 10")).toBe("12 messages in no summary, more than 10.");
  expect(sayReasonWhole("")).toBe("");
});
