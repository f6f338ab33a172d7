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
  test("tells what a tool was given from what somebody said and what a tool showed", () => {
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

  test("knows the file that a name was used on, and what was done to the file", () => {
    const names = read([call("Edit", { file_path: "/app/src/a.ts", new_string: "retryLimit" })]);
    expect(names).toMatchObject([
      { key: "path:app/src/a.ts", use: "edited" },
      { claim: { text: "retryLimit" }, home: "path:app/src/a.ts" },
    ]);
  });

  test("what a tool gave back is of the file that it was asked for", () => {
    const names = read([call("Read", { file_path: "src/a.ts" }), result("const retryLimit = one")]);
    expect(names.at(-1)).toMatchObject({ claim: { text: "retryLimit" }, home: "path:src/a.ts", origin: "shown" });
  });

  test("a line that begins with a file and a place is of that file, and the place is no name", () => {
    const names = read([call("Grep", { pattern: "x" }), result("src/a.ts:12: retryLimit\nsrc/b.ts-13- sendMail")]);
    expect(names.map(({ claim, home }) => [claim.text, home])).toEqual([
      ["src/a.ts", undefined],
      ["retryLimit", "path:src/a.ts"],
      ["sendMail", "path:src/b.ts"],
    ]);
  });

  test("takes names in code that differ only in their capitals for two", () => {
    expect(textsOf(read([say("baseCommit and BaseCommit and baseCommit")]))).toEqual(["baseCommit", "BaseCommit"]);
  });

  test("leaves out how much, options, fractions, octal modes and ids of calls", () => {
    const input = { command: "ls -la --color 0644", limit: 2_000 };
    expect(textsOf(read([call("bash", input), result("done in 55.655 s, toolu_01ABCDEFGH")]))).toEqual([]);
  });

  test("leaves out the names of fields, and what has an escape in it", () => {
    expect(textsOf(read([result('{"user_id": "sofia_kim", "order_id":"W-7781"} a\\nfirstLine')]))).toEqual([
      "sofia_kim",
      "W-7781",
    ]);
  });

  test("takes a number that an option or a time limit was given for one", () => {
    expect(textsOf(read([call("bash", { command: "head -150", timeout: 120_000 })]))).toEqual(["-150", "120000"]);
  });

  test("leaves out pieces of strings and of patterns", () => {
    const command = String.raw`grep 'settings\.json' -e 'Notes\n\n'`;
    expect(textsOf(read([call("bash", { command })]))).toEqual([]);
    expect(textsOf(read([call("bash", { command: String.raw`type C:\work\.git\config` })]))).toHaveLength(1);
  });

  test("takes two words with a slash for a name only where a tool was given them, or in quotes", () => {
    expect(textsOf(read([result('import "path/filepath"')]))).toEqual(["path/filepath"]);
    expect(textsOf(read([call("bash", { command: "git show refs/heads" })]))).toEqual(["refs/heads"]);
    expect(textsOf(read([call("write", { text: "and/or" }), say("Use tabs/spaces.")]))).toEqual([]);
  });

  test("a name among hundreds that a tool showed counts for less than one among a few", () => {
    const many = Array.from({ length: 240 }, (_, index) => `orderNumber${index}`).join(" ");
    expect(read([result(many)])[0]?.share).toBe(0.5);
    expect(read([result("orderNumber")])[0]?.share).toBeUndefined();
  });

  test("what programs put in the user's place is shown, not said", () => {
    const names = read([say("<command-stdout>sendMail</command-stdout>")]);
    expect(names).toMatchObject([{ origin: "shown" }]);
  });

  test("takes what nobody says at once for a document, which is shown", () => {
    const names = read([say(`parseOrder ${"word ".repeat(1_000)}`)]);
    expect(names).toMatchObject([{ origin: "shown" }]);
  });
});
