import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../message/json.ts";
import type { ToolCallPart } from "../../message/message.ts";
import { findFileAccess } from "./tool-use.ts";

const call = (tool: string, input: JsonValue): ToolCallPart => ({ type: "tool-call", callId: "a", tool, input });
const linesOf = (input: object) => findFileAccess(call("read_file", { path: "a.ts", ...input }))?.lines;
const ALL = { first: 1, last: Number.POSITIVE_INFINITY };

describe("findFileAccess", () => {
  test("takes __proto__ in an input for a key like any other", () => {
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
  ] as const)("takes %s with %j for a %s", (tool, input, kind) => {
    expect(findFileAccess(call(tool, input))?.kind).toBe(kind);
  });

  test.each([
    ["a tool that neither reads nor writes", "grep", { path: "src", pattern: "x" }],
    ["a tool whose name only looks like one that reads", "thread_list", { path: "a.ts" }],
    ["an input without a path", "read_file", { id: 5 }],
    ["an empty path", "read_file", { path: "" }],
    ["a path that is no text", "read_file", { path: 5, files: [5, null] }],
    ["an input that is no object", "read_file", "a.ts"],
    ["a list", "read_file", ["a.ts"]],
  ] as const)("finds none in %s", (_, tool, input) => {
    expect(findFileAccess(call(tool, input))).toBeUndefined();
  });

  test("finds none without a call", () => {
    expect(findFileAccess(undefined)).toBeUndefined();
  });

  test.each([
    ["several", { paths: ["a.ts", "./b.ts"] }, ["a.ts", "b.ts"]],
    [
      "several with something about each",
      { files: [{ path: "a.ts", lines: [1, 2] }, { path: "b.ts" }] },
      ["a.ts", "b.ts"],
    ],
    ["the same twice", { path: "././a.ts", files: ["a.ts"] }, ["a.ts"]],
    ["one above", { path: "../a.ts" }, ["../a.ts"]],
  ])("finds %s", (_, input, paths) => {
    expect(findFileAccess(call("read_files", input))?.paths).toEqual(paths);
  });

  test.each([
    ["nothing about lines", {}, ALL],
    ["offset and limit", { offset: 10, limit: 5 }, { first: 10, last: 14 }],
    ["a limit alone", { limit: 5 }, { first: 1, last: 5 }],
    ["an offset alone", { offset: 10 }, { ...ALL, first: 10 }],
    ["first and last line", { start_line: 3, end_line: 9 }, { first: 3, last: 9 }],
    ["first and last line in another spelling", { startLine: 3, endLine: -1 }, { ...ALL, first: 3 }],
    ["a pair", { view_range: [3, 9] }, { first: 3, last: 9 }],
    ["a pair without end", { view_range: [3, -1] }, { ...ALL, first: 3 }],
  ])("reads %s", (_, input, lines) => {
    expect(linesOf(input)).toEqual(lines);
  });

  test("distinguishes other arguments, whatever their order, and ignores remarks", () => {
    const rest = (input: object) => findFileAccess(call("fetch", { url: "https://example.com", ...input }))?.rest;
    expect(rest({ prompt: "who", depth: 2 })).toBe(rest({ depth: 2, prompt: "who", description: "a look", offset: 3 }));
    expect(rest({ prompt: "who" })).not.toBe(rest({ prompt: "when" }));
    expect(rest({ offset: "one" })).not.toBe(rest({}));
  });
});
