import { describe, expect, test } from "vitest";
import { joinUses, readFileUse } from "./tool-use.ts";

const use = (tool: string): string | undefined =>
  readFileUse({ type: "tool-call", callId: "c1", tool, input: { path: "src/a.ts" } })?.use;

describe("readFileUse", () => {
  test.each([
    ["Read", "read"],
    ["view_file", "read"],
    ["Grep", "searched"],
    ["Write", "written"],
    ["str_replace_editor", "edited"],
    ["apply_patch", "edited"],
    ["delete_file", "deleted"],
    ["frobnicate", "used"],
  ])("classifies a file in a call to %s as %s", (tool, expected) => {
    expect(use(tool)).toBe(expected);
  });

  test("returns undefined for a call without a path or with several paths in one field", () => {
    const call = { type: "tool-call", callId: "c1", tool: "Read" } as const;
    expect(readFileUse({ ...call, input: { query: "src/a.ts" } })).toBeUndefined();
    expect(readFileUse({ ...call, input: { path: "src/a.ts src/b.ts" } })).toBeUndefined();
    expect(readFileUse({ ...call, input: ["src/a.ts"] })).toBeUndefined();
  });
});

describe("joinUses", () => {
  test("prefers a change of a file to a later read", () => {
    expect(joinUses("edited", "read")).toBe("edited");
    expect(joinUses("read", "edited")).toBe("edited");
    expect(joinUses("written", "deleted")).toBe("deleted");
    expect(joinUses(undefined, "read")).toBe("read");
  });
});
