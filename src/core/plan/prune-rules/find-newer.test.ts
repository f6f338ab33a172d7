import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../../testing/builders.ts";
import type { ViewMessage } from "../../log/view.ts";
import type { Message } from "../../message/message.ts";
import { findNewerResults } from "./find-newer.ts";
import { findToolUses } from "./tool-use.ts";

const newerThan = (...inputs: readonly (readonly [string, object])[]): string => {
  const { aRound } = messageBuilder();
  const messages = inputs.flatMap(([tool, input], index) =>
    aRound([{ callId: `c${index}`, tool, input: { ...input }, output: `result ${index}` }]),
  );
  const found = findNewerResults(findToolUses(viewOf(messages))).get("2/0");
  return found === undefined ? "none" : `${found.type} ${found.messageId}`;
};

const viewOf = (messages: readonly Message[]): readonly ViewMessage[] =>
  messages.map((message, index) => ({
    seq: index + 1,
    message,
    shown: message,
    tokens: 1,
    fate: "verbatim",
    reason: "",
  }));

const read = (more: object = {}) => ["read_file", { path: "a.ts", ...more }] as const;
const write = (path = "a.ts") => ["write_file", { path, content: "x" }] as const;

describe("findNewerResults", () => {
  test.each([
    ["a later read of the same file", [read(), read()], "read-again m4"],
    ["the newest of several reads", [read(), read(), read()], "read-again m6"],
    ["a later write", [read(), write()], "written m4"],
    ["the newest write", [read(), write(), write()], "written m6"],
    ["a later read, even if a write follows it", [read(), read(), write()], "read-again m4"],
    ["a later read of more lines", [read({ offset: 10, limit: 5 }), read({ offset: 1, limit: 20 })], "read-again m4"],
    ["a later read of all lines", [read({ offset: 10, limit: 5 }), read()], "read-again m4"],
    ["a write after a read of some lines", [read({ offset: 10, limit: 5 }), write()], "written m4"],
    [
      "a later read of more files",
      [
        ["read_files", { paths: ["a", "b"] }],
        ["read_files", { paths: ["b", "c", "a"] }],
      ],
      "read-again m4",
    ],
  ] as const)("returns %s", (_, inputs, found) => {
    expect(newerThan(...inputs)).toBe(found);
  });

  test.each([
    ["a single call", [read()]],
    ["calls for another file", [read(), read({ path: "b.ts" }), write("b.ts")]],
    ["a read of other lines", [read({ offset: 10, limit: 5 }), read({ offset: 12, limit: 5 })]],
    ["a read of fewer lines", [read(), read({ limit: 5 })]],
    ["a read with another prompt", [read({ prompt: "who" }), read({ prompt: "when" })]],
    ["a call of another tool", [read(), ["get_metadata", { path: "a.ts" }]]],
    ["a read, if the older call is a write", [write(), read()]],
    [
      "a read of only one of the files",
      [
        ["read_files", { paths: ["a", "b"] }],
        ["read_files", { paths: ["a"] }],
      ],
    ],
  ] as const)("returns nothing after %s", (_, inputs) => {
    expect(newerThan(...inputs)).toBe("none");
  });

  test("returns the newest read for each of 2,000 reads of one file", () => {
    const { aRound } = messageBuilder();
    const messages = Array.from({ length: 2_000 }, (_, index) =>
      aRound([{ callId: `c${index}`, input: { path: "a.ts" }, output: `result ${index}` }]),
    ).flat();
    const found = findNewerResults(findToolUses(viewOf(messages)));
    expect(found.size).toBe(1_999);
    expect(new Set([...found.values()].map(({ messageId }) => messageId))).toEqual(new Set(["m4000"]));
  });
});
