import { describe, expect, test } from "vitest";
import type { Message } from "../../message/message.ts";
import { runSteps } from "../../tokens/count-text.ts";
import { type CallFiles, type NamedUse, readNamesInSteps } from "./read-names.ts";

const call = (tool: string, input: Record<string, string | number>): Message => ({
  id: "m1",
  role: "assistant",
  parts: [{ type: "tool-call", callId: "c1", tool, input }],
});
const result = (text: string): Message => ({
  id: "m2",
  role: "tool",
  parts: [{ type: "tool-result", callId: "c1", output: { type: "text", text }, failed: false }],
});
const say = (text: string): Message => ({ id: "m3", role: "user", parts: [{ type: "text", text }] });

function read(messages: readonly Message[]): readonly NamedUse[] {
  const files: CallFiles = new Map();
  return messages.flatMap((message) => runSteps(readNamesInSteps(message, files)));
}

const textsOf = (names: readonly NamedUse[]): readonly string[] => names.map(({ claim }) => claim.text);

describe("readNamesInSteps", () => {
  test("marks a name as said, given to a tool, or shown by a tool", () => {
    const names = read([
      say("Mend parseOrder, please."),
      call("bash", { command: "grep retryLimit" }),
      result("sendMail"),
    ]);
    expect(names.map(({ claim, origin }) => [claim.text, origin])).toEqual([
      ["parseOrder", "said"],
      ["retryLimit", "given"],
      ["sendMail", "shown"],
    ]);
  });

  test("assigns a name in a tool input to the file of the call, with the use of that file", () => {
    const names = read([call("Edit", { file_path: "/app/src/a.ts", new_string: "retryLimit" })]);
    expect(names).toMatchObject([
      { key: "path:app/src/a.ts", use: "edited" },
      { claim: { text: "retryLimit" }, home: "path:app/src/a.ts" },
    ]);
  });

  test("assigns a name in a tool result to the file of the call", () => {
    const names = read([call("Read", { file_path: "src/a.ts" }), result("const retryLimit = one")]);
    expect(names.at(-1)).toMatchObject({ claim: { text: "retryLimit" }, home: "path:src/a.ts", origin: "shown" });
  });

  test("assigns names to the file at the start of their line, and ignores line numbers", () => {
    const names = read([call("Grep", { pattern: "x" }), result("src/a.ts:12: retryLimit\nsrc/b.ts-13- sendMail")]);
    expect(names.map(({ claim, home }) => [claim.text, home])).toEqual([
      ["src/a.ts", undefined],
      ["retryLimit", "path:src/a.ts"],
      ["sendMail", "path:src/b.ts"],
    ]);
  });

  test("returns names in code that differ only in case as separate names", () => {
    expect(textsOf(read([say("baseCommit and BaseCommit and baseCommit")]))).toEqual(["baseCommit", "BaseCommit"]);
  });

  test("ignores limits, options, fractions, octal modes and call ids", () => {
    const input = { command: "ls -la --color 0644", limit: 2_000 };
    expect(textsOf(read([call("bash", input), result("done in 55.655 s, toolu_01ABCDEFGH")]))).toEqual([]);
  });

  test("ignores field names of JSON, and words with an escape sequence", () => {
    expect(textsOf(read([result('{"user_id": "sofia_kim", "order_id":"W-7781"} a\\nfirstLine')]))).toEqual([
      "sofia_kim",
      "W-7781",
    ]);
  });

  test("ignores devices, ranges of characters in patterns, call ids with a time, and line breaks before a word", () => {
    expect(textsOf(read([call("bash", { command: "grep -E '[a-zA-Z0-9_]+|[a-f0-9]' notes.md 2>/dev/null" })]))).toEqual(
      ["notes.md"],
    );
    expect(textsOf(read([result("read_file-1768510357384-77be6572cbf32 said: \\n\\nChanges in notes.md")]))).toEqual([
      "notes.md",
    ]);
  });

  test("returns numbers of options and timeouts", () => {
    expect(textsOf(read([call("bash", { command: "head -150", timeout: 120_000 })]))).toEqual(["-150", "120000"]);
  });

  test("ignores fragments of strings and regular expressions", () => {
    const command = String.raw`grep 'settings\.json' -e 'Notes\n\n'`;
    expect(textsOf(read([call("bash", { command })]))).toEqual([]);
    expect(textsOf(read([call("bash", { command: String.raw`type C:\work\.git\config` })]))).toHaveLength(1);
  });

  test("returns two words with a slash only from a command or from quotes", () => {
    expect(textsOf(read([result('import "path/filepath"')]))).toEqual(["path/filepath"]);
    expect(textsOf(read([call("bash", { command: "git show refs/heads" })]))).toEqual(["refs/heads"]);
    expect(textsOf(read([call("write", { text: "and/or" }), say("Use tabs/spaces.")]))).toEqual([]);
  });

  test("returns a lower share for a name in a tool result with hundreds of names", () => {
    const many = Array.from({ length: 240 }, (_, index) => `orderNumber${index}`).join(" ");
    expect(read([result(many)])[0]?.share).toBe(0.5);
    expect(read([result("orderNumber")])[0]?.share).toBeUndefined();
  });

  test("marks names in command output inside a user message as shown", () => {
    const names = read([say("<command-stdout>sendMail</command-stdout>")]);
    expect(names).toMatchObject([{ origin: "shown" }]);
  });

  test("marks names in a very long user message as shown", () => {
    const names = read([say(`parseOrder ${"word ".repeat(1_000)}`)]);
    expect(names).toMatchObject([{ origin: "shown" }]);
  });
});
