import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../../test/support/growth.ts";
import { shows } from "../../../testing/shows.ts";
import { estimate } from "../../tokens/estimate.ts";
import { type AcceptOptions, acceptSummary, type SummarizerAnswer } from "./accept-summary.ts";

const GOOD = "The user chose SQLite for the ledger. The migration of 1,204 rows is open, and Ana owns it.";
const options: AcceptOptions = { counter: estimate, capTokens: 500, replacedTokens: 4_000, onOversize: "reask-trim" };
const accept = (text: string, changes: Partial<AcceptOptions & SummarizerAnswer> = {}) =>
  acceptSummary({ text, ...changes }, { ...options, ...changes });
const verdict = (text: string, changes: Partial<AcceptOptions & SummarizerAnswer> = {}): string => {
  const outcome = accept(text, changes);
  return outcome.type === "accepted" ? "accepted" : outcome.rule;
};

describe("acceptSummary", () => {
  test("accepts a summary and trims white space around it", () => {
    expect(accept(` ${GOOD}\n`)).toMatchObject({ type: "accepted", text: GOOD, strippedCharacters: 2 });
  });

  test("rejects an answer without words as empty", () => {
    for (const text of ["", "  \n\t", "\u200b\ufeff", "---\n***", "…"]) expect(verdict(text)).toBe("empty");
  });

  test("removes reasoning, and rejects an answer that is only reasoning or whose reasoning never ends", () => {
    expect(accept(`<think>Hm.</think>\n${GOOD}`)).toMatchObject({ type: "accepted", text: GOOD });
    expect(verdict("<analysis>First the user asked for a ledger. Then")).toBe("reasoning-only");
    expect(verdict("<think>Nothing came after this.</think>")).toBe("reasoning-only");
    expect(verdict(`${GOOD}\n<think>And then I`)).toBe("reasoning-only");
  });

  test("rejects an answer that calls a tool or writes a tool call as text", () => {
    expect(verdict(GOOD, { toolCalls: 1 })).toBe("tool-call");
    expect(verdict("", { endedBy: "tool-calls" })).toBe("tool-call");
    const calls = [
      '<tool_call>{"name":"read_file","arguments":{"path":"a.ts"}}</tool_call>',
      "<function_calls>\n<invoke>",
      '{"name":"read_file","arguments":{"path":"a.ts"}}',
      '[{"type":"function","function":{"name":"read_file","arguments":"{}"}}]',
      '```json\n{"tool":"bash","input":{"command":"ls"}}\n```',
      "Action: search\nAction Input: weather",
    ];
    for (const call of calls) expect(verdict(call), call).toBe("tool-call");
  });

  test("accepts a summary that mentions tool calls", () => {
    const summaries = [
      'The agent called read_file with {"path":"a.ts"} and got {"name":"x","arguments":{}}.',
      "Decided that a <tool_call> in the text is refused. Action: none is open.",
    ];
    for (const summary of summaries) expect(verdict(summary), summary).toBe("accepted");
  });

  test("rejects an answer in which the model refuses", () => {
    const refusals = [
      "I can't help with that.",
      "I’m sorry, but I can’t assist with that request.",
      "Sorry, I cannot summarize this conversation.",
      "I am unable to provide a summary of this content because it may be harmful.",
      "As an AI language model, I cannot comply with this request.",
      "I won't do that.",
      "Please provide the conversation you would like me to summarise.",
      "It looks like there is no conversation to summarize.",
      "Lo siento, pero no puedo ayudar con eso.",
      "抱歉，我无法协助处理这个请求。",
    ];
    for (const refusal of refusals) expect(verdict(refusal), refusal).toBe("refusal");
    expect(verdict("The user", { endedBy: "content-filter" })).toBe("refusal");
  });

  test("accepts a summary that reports a refusal or a failure", () => {
    const summaries = [
      'The user asked for a password list; the assistant said "I can\'t help with that" and offered a manager.',
      "I can't reproduce the failing test in CI; the user asked me to look at the cache next.",
      "I cannot continue until the user gives the key. The migration is done.",
      "I could not find src/ledger.ts. The user will send it.",
      "Sorry about the outage mail: Ana writes it by Friday. The pool size is 20.",
      "The user is sorry for the noise and wants the alerts off. Please provide the rota to Ana by Monday.",
      "There is no test to cover the ledger; the user wants one.",
    ];
    for (const summary of summaries) expect(verdict(summary), summary).toBe("accepted");
  });

  test("rejects a template in which every section is empty", () => {
    const templates = [
      "(none)",
      "None.",
      "## Goal\n(none)\n\n## Decisions\n- (none)\n\n## Open items\n(none)",
      "**Request:** none\n**State:** N/A\n1. None\nNext: nothing yet",
      "Decisions:\nOpen items:\n",
      "# Summary\n- No decisions yet\n- Not specified",
      "| Topic | Status | Owner |\n| --- | --- | --- |\n| | | |",
      "## Items\n| Item |\n|:---|\n| none |",
    ];
    for (const template of templates) expect(verdict(template), template).toBe("empty-template");
  });

  test("accepts a template with one section filled in", () => {
    expect(verdict("## Goal\n(none)\n\n## Decisions\n- use SQLite\n\n## Open items\n(none)")).toBe("accepted");
    expect(verdict("Decisions: none\nNext: run the migration")).toBe("accepted");
    expect(verdict("| Item | Owner |\n| --- | --- |\n| ledger | Ana |\n| - | - |")).toBe("accepted");
  });

  test("rejects an answer that repeats itself or is far above its cap", async () => {
    expect(verdict(`${GOOD} ${"and then ".repeat(200)}`)).toBe("runaway");
    expect(verdict("- The build failed again.\n".repeat(14))).toBe("runaway");
    expect(verdict(Array.from({ length: 3_000 }, (_, word) => `word${word}`).join(" "))).toBe("runaway");
    const cost = (answer: string) => cpuMsOf(() => expect(verdict(answer)).toBe("runaway"));
    expect(await growthOf("x ".repeat(25_000_000), cost)).toBeLessThan(LINEAR_GROWTH);
  });

  test("accepts a list whose lines are similar but not equal", () => {
    const list = Array.from({ length: 30 }, (_, line) => `- Step ${line} of the migration is done.`).join("\n");
    expect(verdict(list)).toBe("accepted");
  });

  test("requests a shorter answer once and then trims, or rejects at once if onOversize is reject", () => {
    const long = Array.from({ length: 60 }, (_, fact) => `Fact number ${fact} is about module ${fact}.`).join(" ");
    const asked = accept(long, { capTokens: 200 });
    expect(asked).toMatchObject({ type: "reask", rule: "too-large" });
    expect(asked.type === "reask" && asked.request).toContain("at most 130 words");
    const trimmed = accept(long, { capTokens: 200, earlierRequests: 1 });
    expect(trimmed.type === "accepted" && trimmed.tokens).toBeLessThanOrEqual(200);
    expect(trimmed.type === "accepted" && trimmed.text.endsWith(".")).toBe(true);
    expect(trimmed.type === "accepted" && trimmed.trimmedFromTokens).toBeGreaterThan(200);
    expect(accept(long, { capTokens: 200, onOversize: "reject" })).toMatchObject({
      type: "rejected",
      rule: "too-large",
    });
  });

  test(shows("S2-25", "rejects an answer above its cap with the reason from the document"), () => {
    const long = Array.from({ length: 60 }, (_, fact) => `Fact number ${fact} is about module ${fact}.`).join(" ");
    expect(accept(long, { capTokens: 200, onOversize: "reject" })).toMatchObject({ reason: "Summary too large." });
    expect(verdict(GOOD, { capTokens: 200, onOversize: "reject" })).toBe("accepted");
  });

  test("drops the incomplete last sentence of an answer that was stopped at the output limit", () => {
    const stopped = { endedBy: "length", earlierRequests: 1 } as const;
    expect(accept(`${GOOD} The next step is to ask the`, stopped)).toMatchObject({ type: "accepted", text: GOOD });
    expect(verdict("The next", { ...stopped, onOversize: "reject" })).toBe("too-large");
  });

  test("rejects an answer that is not smaller than the text it replaces", () => {
    const { tokens } = accept(GOOD) as { tokens: number };
    expect(verdict(GOOD, { replacedTokens: tokens })).toBe("not-smaller");
    expect(verdict(GOOD, { replacedTokens: tokens + 1 })).toBe("accepted");
    expect(verdict(GOOD, { replacedTokens: undefined })).toBe("accepted");
  });

  test("rejects a bare acknowledgment, and an answer of fewer than three whole words for a long stretch", () => {
    for (const text of ["OK", "Done.", "Summary complete.", "Erledigt.", "好的。", "了解しました。"]) {
      expect(verdict(text, { replacedTokens: 100 })).toBe("too-small");
    }
    expect(verdict("Went well.")).toBe("too-small");
    expect(verdict("Went well.", { replacedTokens: 100 })).toBe("accepted");
    expect(verdict("All went well.")).toBe("accepted");
    expect(verdict("All went we")).toBe("too-small");
    expect(verdict("Ana chose SQLite today")).toBe("accepted");
    expect(verdict("Ana chose SQLite; Ben migrates.")).toBe("accepted");
    expect(verdict("用户选择了数据库，迁移未完成。")).toBe("accepted");
  });
});
