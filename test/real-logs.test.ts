import { beforeEach, describe, expect, test } from "vitest";
import { parseClaudeCode, readClaudeCode, readTauBench, skipWithoutData } from "./support/real-logs.ts";

const log = (...lines: readonly (object | string)[]): string =>
  lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");

const user = (content: unknown, more: object = {}) => ({ type: "user", message: { role: "user", content }, ...more });

const assistant = (id: string, block: object, more: object = {}) => ({
  type: "assistant",
  message: { id, role: "assistant", model: "claude", content: [block], ...more },
});

const text = (firstText: string) => ({ type: "text", text: firstText });
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} });
const result = (id: string) => [{ type: "tool_result", tool_use_id: id, content: "found" }];

describe("parseClaudeCode", () => {
  test("joins the lines of one reply, even with other lines between them", () => {
    const [only] = parseClaudeCode(
      log(user("look"), assistant("a", text("I will.")), { type: "progress", data: {} }, assistant("a", call("1"))),
      "one",
    );
    expect(only?.items).toEqual([
      { role: "user", content: "look" },
      { role: "assistant", content: [text("I will."), call("1")] },
    ]);
  });

  test("keeps a reply in pieces if results came between them", () => {
    const [only] = parseClaudeCode(log(assistant("a", call("1")), user(result("1")), assistant("a", call("2"))), "one");
    expect(only?.items).toEqual([
      { role: "assistant", content: [call("1")] },
      { role: "user", content: result("1") },
      { role: "assistant", content: [call("2")] },
    ]);
  });

  test("uses the last usage of a reply and the time of its first line", () => {
    const usage = (output: number) => ({
      usage: { input_tokens: 3, cache_read_input_tokens: 40, cache_creation_input_tokens: 5, output_tokens: output },
    });
    const [only] = parseClaudeCode(
      log(
        user("hello", { timestamp: "not a time" }),
        { ...assistant("a", text("one"), usage(1)), timestamp: "2026-01-02T03:04:05.006Z" },
        { ...assistant("a", text("two"), usage(9)), timestamp: "2026-01-02T03:04:07.000Z" },
      ),
      "one",
    );
    expect(only?.at).toEqual([undefined, Date.UTC(2026, 0, 2, 3, 4, 5, 6)]);
    expect(only?.usage).toEqual([
      { index: 1, model: "claude", inputTokens: 3, cacheReadTokens: 40, cacheWriteTokens: 5, outputTokens: 9 },
    ]);
  });

  test("records where the tool compacted, with its summary if there is one", () => {
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      compactMetadata: { trigger: "auto", preTokens: 9 },
    };
    const [only] = parseClaudeCode(
      log(user("one"), boundary, user("so far", { isCompactSummary: true }), user("two"), boundary),
      "one",
    );
    expect(only?.items).toHaveLength(3);
    expect(only?.compactions).toEqual([
      { index: 1, hasSummary: true, trigger: "auto", beforeTokens: 9 },
      { index: 3, hasSummary: false, trigger: "auto", beforeTokens: 9 },
    ]);
  });

  test("returns side conversations as separate logs", () => {
    const logs = parseClaudeCode(
      log(user("main"), user("side", { isSidechain: true }), user("agent", { isSidechain: true, agentId: "a7" })),
      "one",
    );
    expect(logs.map(({ name, items }) => [name, items.length])).toEqual([
      ["one", 1],
      ["one#sidechain", 1],
      ["one#a7", 1],
    ]);
  });

  test("counts unreadable lines and continues", () => {
    const [only] = parseClaudeCode(log('{"type":"us', "", "[]", user("still here", { isMeta: true }), "null"), "one");
    expect(only?.malformedLines).toBe(3);
    expect(only?.metaIndexes).toEqual([0]);
    expect(only?.items).toHaveLength(1);
  });
});

describe("the real logs", () => {
  beforeEach(skipWithoutData);

  test("contain two hundred customer-service conversations in OpenAI's chat format", () => {
    const logs = [...readTauBench()];
    expect(logs).toHaveLength(200);
    expect(new Set(logs.map(({ name }) => name)).size).toBe(200);
    for (const { items } of logs) {
      expect(items[0]).toMatchObject({ role: "system" });
      expect(items[1]).toMatchObject({ role: "user" });
    }
  });

  test("contain twenty-one coding sessions in Anthropic's format, with usage, times and compactions", () => {
    const logs = [...readClaudeCode()];
    expect(logs).toHaveLength(21);
    for (const { items, at, usage } of logs) {
      expect(at).toHaveLength(items.length);
      expect(items.length).toBeGreaterThan(5);
      for (const { index } of usage) expect(items[index]).toMatchObject({ role: "assistant" });
    }
    expect(logs.flatMap(({ compactions }) => compactions).every(({ hasSummary }) => hasSummary)).toBe(true);
    expect(logs.some(({ compactions }) => compactions.length > 1)).toBe(true);
    expect(logs.some(({ malformedLines }) => malformedLines > 0)).toBe(true);
  });

  test("contain side conversations in the files of claude-code-variants", () => {
    expect([...readClaudeCode("claude-code-variants")].some(({ name }) => name.includes("#"))).toBe(true);
  });
});
