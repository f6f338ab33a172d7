import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../message/json.ts";
import type { ToolCallPart } from "../../message/message.ts";
import { findFileAccess } from "./tool-use.ts";

const call = (tool: string, input: JsonValue): ToolCallPart => ({ type: "tool-call", callId: "a", tool, input });
const linesOf = (input: object) => findFileAccess(call("read_file", { path: "a.ts", ...input }))?.lines;
const ALL = { first: 1, last: Number.POSITIVE_INFINITY };

describe("findFileAccess", () => {
  test("treats __proto__ in an input as an ordinary key", () => {
    const input = JSON.parse('{"path":"a.ts","__proto__":{"city":"x"},"city":"y"}') as JsonValue;
    Object.freeze(Object.values(input as object)[1]);
    expect(findFileAccess(call("read_file", input))?.rest).toBe('{"__proto__":{"city":"x"},"city":"y"}');
  });

  test.each([
    ["read_file", { path: "a.ts" }, "read"],
    ["readFile", { filePath: "a.ts" }, "read"],
    ["Read", { file_path: "a.ts" }, "read"],
    ["mcp__files__get-file", { filename: "a.ts" }, "read"],
    ["WebFetch", { url: "https://example.com" }, "read"],
    ["write_file", { path: "a.ts", content: "" }, "write"],
    ["MultiEdit", { file_path: "a.ts" }, "write"],
    ["NotebookEdit", { notebook_path: "a.ipynb" }, "write"],
    ["get_or_create_file", { path: "a.ts" }, "write"],
    ["str_replace_based_edit_tool", { command: "view", path: "a.ts" }, "read"],
    ["str_replace_based_edit_tool", { command: "str_replace", path: "a.ts" }, "write"],
    ["files", { action: "append", path: "a.ts" }, "write"],
    ["read_file", { command: "cat a.ts | head", path: "a.ts" }, "read"],
  ] as const)("treats a call to %s with %j as a %s", (tool, input, kind) => {
    expect(findFileAccess(call(tool, input))?.kind).toBe(kind);
  });

  test.each([
    ["a call of a tool that neither reads nor writes", "grep", { path: "src", pattern: "x" }],
    ['a call of a tool whose name only contains the letters "read"', "thread_list", { path: "a.ts" }],
    ["an input without a path", "read_file", { id: 5 }],
    ["an empty path", "read_file", { path: "" }],
    ["a path that is not a string", "read_file", { path: 5, files: [5, null] }],
    ["an input that is not an object", "read_file", "a.ts"],
    ["an input that is an array", "read_file", ["a.ts"]],
  ] as const)("returns undefined for %s", (_, tool, input) => {
    expect(findFileAccess(call(tool, input))).toBeUndefined();
  });

  test("returns undefined without a call", () => {
    expect(findFileAccess(undefined)).toBeUndefined();
  });

  test.each([
    ["several paths", { paths: ["a.ts", "./b.ts"] }, ["a.ts", "b.ts"]],
    [
      "the path of each object in a list",
      { files: [{ path: "a.ts", lines: [1, 2] }, { path: "b.ts" }] },
      ["a.ts", "b.ts"],
    ],
    ["a repeated path once", { path: "././a.ts", files: ["a.ts"] }, ["a.ts"]],
    ["a path above the folder", { path: "../a.ts" }, ["../a.ts"]],
  ])("finds %s", (_, input, paths) => {
    expect(findFileAccess(call("read_files", input))?.paths).toEqual(paths);
  });

  test.each([
    ["all lines if no range is given", {}, ALL],
    ["a range from offset and limit", { offset: 10, limit: 5 }, { first: 10, last: 14 }],
    ["a range from a limit alone", { limit: 5 }, { first: 1, last: 5 }],
    ["a range from an offset alone", { offset: 10 }, { ...ALL, first: 10 }],
    ["a range from start_line and end_line", { start_line: 3, end_line: 9 }, { first: 3, last: 9 }],
    ["a range from startLine and endLine", { startLine: 3, endLine: -1 }, { ...ALL, first: 3 }],
    ["a range from a pair", { view_range: [3, 9] }, { first: 3, last: 9 }],
    ["a range from a pair without an end", { view_range: [3, -1] }, { ...ALL, first: 3 }],
  ])("returns %s", (_, input, lines) => {
    expect(linesOf(input)).toEqual(lines);
  });

  test("returns the other arguments in a fixed order and without descriptions as `rest`", () => {
    const rest = (input: object) => findFileAccess(call("fetch", { url: "https://example.com", ...input }))?.rest;
    expect(rest({ prompt: "who", depth: 2 })).toBe(rest({ depth: 2, prompt: "who", description: "a look", offset: 3 }));
    expect(rest({ prompt: "who" })).not.toBe(rest({ prompt: "when" }));
    expect(rest({ offset: "one" })).not.toBe(rest({}));
  });
});
