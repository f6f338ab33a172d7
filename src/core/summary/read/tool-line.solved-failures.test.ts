import { describe, expect, test } from "vitest";
import { createFailureTracker } from "./tool-line.ts";

const failed = { command: "npm test", error: "exit 1: 2 tests failed", messageIds: ["m1"] };

describe("createFailureTracker", () => {
  test("returns the earlier error and the files changed since when a command succeeds", () => {
    const book = createFailureTracker();
    book.noteChange("before.ts");
    expect(book.noteRun(failed)).toBeUndefined();
    book.noteChange("order.ts");
    book.noteChange("order.ts");
    expect(book.noteRun({ command: "npm test 2>&1 | tail -5", messageIds: ["m4"] })).toEqual({
      text: "it had failed: exit 1: 2 tests failed; changed since then: order.ts",
      messageIds: ["m1"],
    });
  });

  test("returns an earlier error once, and undefined for a command that never failed", () => {
    const book = createFailureTracker();
    book.noteRun(failed);
    expect(book.noteRun({ command: "npm run build", messageIds: ["m2"] })).toBeUndefined();
    expect(book.noteRun({ command: "npm test", messageIds: ["m3"] })?.text).toBe(
      "it had failed: exit 1: 2 tests failed",
    );
    expect(book.noteRun({ command: "npm test", messageIds: ["m4"] })).toBeUndefined();
  });

  test("keeps the files changed since the first failure when a command fails again", () => {
    const book = createFailureTracker();
    book.noteRun(failed);
    book.noteChange("order.ts");
    book.noteRun({ ...failed, error: "exit 1: 1 test failed", messageIds: ["m5"] });
    book.noteChange("cart.ts");
    expect(book.noteRun({ command: "npm test", messageIds: ["m6"] })?.text).toBe(
      "it had failed: exit 1: 1 test failed; changed since then: order.ts cart.ts",
    );
  });

  test("omits the text of a long error", () => {
    const book = createFailureTracker();
    book.noteRun({ ...failed, error: "x".repeat(500) });
    expect(book.noteRun({ command: "npm test", messageIds: ["m2"] })?.text).toBe("it had failed before");
  });
});
