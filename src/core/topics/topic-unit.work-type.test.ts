import { describe, expect, test } from "vitest";
import { findWorkType } from "./topic-unit.ts";

describe("findWorkType", () => {
  test.each([
    ["Fix the crash in the importer.", "fix"],
    ["Add a dark theme.", "build"],
    ["Run the benchmark again.", "test"],
    ["Update the README.", "write"],
    ["Rename the column.", "review"],
    ["Push that to main.", "ship"],
    ["Explain the cache.", "explain"],
    ["Yes.", undefined],
  ] as const)("classifies %j as %s", (text, type) => {
    expect(findWorkType(text)).toBe(type);
  });
});
