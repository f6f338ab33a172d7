import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../../testing/builders.ts";
import type { JsonValue } from "../../message/json.ts";
import type { ToolOutput } from "../../message/message.ts";
import { splitOutputLines } from "./choose-preview.ts";
import { type Failure, findFailure } from "./find-failure.ts";
import { findToolUses } from "./tool-use.ts";

interface ToolAttempt {
  readonly tool?: string | undefined;
  readonly input?: JsonValue | undefined;
  readonly failed?: boolean | undefined;
}

function failureOf(output: string | ToolOutput, { tool = "bash", input = {}, failed = false }: ToolAttempt = {}) {
  const { aRound } = messageBuilder();
  const messages = aRound([{ callId: "a", tool, input, output, failed }]);
  const view = messages.map(
    (message, index) => ({ seq: index + 1, message, shown: message, tokens: 1, fate: "verbatim", reason: "" }) as const,
  );
  const [use] = findToolUses(view);
  if (use === undefined) throw new TypeError("Expected a tool result.");
  return findFailure(use, splitOutputLines(use.part.output));
}

const linesOf = (failure: Failure | undefined) => failure?.errorLines;

describe("findFailure", () => {
  test.each([
    "error: no such rule",
    "src/a.ts(3,1): error TS2304: Cannot find name 'x'.",
    "error[E0425]: cannot find value `x`",
    "Error: it broke",
    "TypeError: x is not a function",
    "java.io.IOException: closed",
    "AssertionError",
    "Traceback (most recent call last):",
    "fatal: not a git repository",
    "panic: runtime error",
    "--- FAIL: TestOne (0.00s)",
    "FAIL src/a.test.ts",
    "npm ERR! missing script",
    "[ERROR] the build broke",
    "Tests: 3 failed, 10 passed",
    "✗ keeps the order",
    "bash: foo: command not found",
    "ls: x: No such file or directory",
    "Exit code 1",
    "Process exited with code 137",
    "exit status 2",
    "exit code: -1",
  ])("recognizes %j in the output of a command as a failure", (line) => {
    expect(linesOf(failureOf(`first\n${line}\nlast`))).toEqual([1]);
  });

  test.each([
    "all good",
    "0 errors, 0 failed",
    "Finished with no errors",
    "failed: 0",
    "exit code 0",
    "exited with code 0",
    "func parse(text string) (Tree, error) {",
    'return fmt.Errorf("failed to open: %w", err)',
    "// handles errors of the parser",
    "src/error.ts",
  ])("does not recognize %j in the output of a command as a failure", (line) => {
    expect(failureOf(`first\n${line}\nlast`)).toBeUndefined();
  });

  test.each<[string, ToolAttempt]>([
    ["the tool name run_tests", { tool: "run_tests" }],
    ["the tool name executeShell", { tool: "executeShell" }],
    ["the input field `command`", { tool: "console", input: { command: "make" } }],
  ])("recognizes a command by %s", (_, attempt) => {
    expect(linesOf(failureOf("error: no rule", attempt))).toEqual([0]);
  });

  test.each<[string, ToolAttempt]>([
    ["the content of a file", { tool: "read_file", input: { path: "a.log" } }],
    ["a file that an editor shows", { tool: "editor", input: { command: "view", path: "a.log" } }],
    ["the results of a web search", { tool: "search_web", input: { query: "errors" } }],
  ])("does not look for errors in %s", (_, attempt) => {
    expect(failureOf("error: no rule\nExit code 1", attempt)).toBeUndefined();
  });

  test("returns lines that mention a failure if the call failed and no line reports one", () => {
    const attempt = { tool: "read_file", input: { path: "a.log" }, failed: true };
    expect(linesOf(failureOf("first\nThe file could not be opened.\nlast", attempt))).toEqual([1]);
    expect(linesOf(failureOf("first\nIt could not be opened.\nerror: denied", attempt))).toEqual([2]);
    expect(linesOf(failureOf("it went as it went", attempt))).toEqual([]);
  });

  test("finds the exit code in a JSON output, and lines about errors inside its strings", () => {
    const json = (value: JsonValue): ToolOutput => ({ type: "json", value });
    const failure = failureOf(json({ exit_code: 2, stderr: "compiling\nerror: no rule\ndone" }), { tool: "job" });
    expect(failure).toEqual({ exitCode: 2, errorLines: [1] });
    expect(failureOf(json({ exitCode: 0, stdout: "fine" }))).toBeUndefined();
    expect(failureOf(json({ exitCode: "1" }))).toBeUndefined();
    expect(failureOf(json([1, 2]))).toBeUndefined();
  });

  test("returns repeated lines once", () => {
    expect(linesOf(failureOf("error: a\nerror: b\nerror: a"))).toEqual([0, 1]);
  });
});
