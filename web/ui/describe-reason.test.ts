import { expect, test } from "vitest";
import { describeReason, describeReasonAsSentence } from "./describe-reason.ts";

test("a ratio is shown as the used share of the budget or the window, or as the percentage above it", () => {
  const reason = "4823 tokens of a budget of 4962 is a ratio of 0.972, at or above the trigger ratio of 0.6";
  expect(describeReason(reason)).toBe("97% of the budget was used");
  expect(describeReasonAsSentence(reason)).toBe("97% of the budget was used.");
  const over = "1200 tokens of a window of 1000 is a ratio of 1.200, at or above the trigger ratio of 0.6";
  expect(describeReasonAsSentence(over)).toBe("Was 20% over the window.");
});

test("a reason that is not a ratio is shown in its own words", () => {
  expect(describeReasonAsSentence("requested manually")).toBe("Requested manually.");
  expect(describeReasonAsSentence("2,008 tokens exceed the limit of 2,000")).toBe(
    "2,008 tokens exceed the limit of 2,000.",
  );
  expect(describeReasonAsSentence("12 messages in no summary, more than 10")).toBe(
    "12 messages in no summary, more than 10.",
  );
  expect(describeReasonAsSentence("")).toBe("");
});
