/**
 * Prompts of the preset `agent-rounds`: a prompt that does not fit is assembled again with the summarized history and
 * the results of the failed attempt, and cache breakpoints follow the setting. Every summary is requested over a real
 * socket, and refusals are real responses.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText } from "ai";
import { describe, expect, test } from "vitest";
import { freezeDeep, isJsonObject } from "../../src/core/message/json.ts";
import type { Message } from "../../src/core/message/message.ts";
import { validate } from "../../src/core/prompt/validate/validate.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { messageBuilder } from "../../src/testing/builders.ts";
import { shows } from "../../src/testing/shows.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies as replies } from "../support/scripted-provider-reply.ts";
import { lastBody, linesOf, type Play, type PlayOptions, playPreset, wordsOf } from "./play-preset.ts";

const SUMMARY = "What stands in the notes? In notes.md it is a fox.";
const TAGGED = `user: <conversation-summary>\n${SUMMARY}\n</conversation-summary>`;
const PROSE = "the quick brown fox jumps over the lazy dog and goes on its way ";
const LIMIT_TOKENS = 850;
const MODEL = "claude-sonnet-4-5";
const PROVIDERS = ["openai", "openai-responses", "anthropic", "gemini"] as const;

const TOOLS = {
  read_file: {
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
};

/** Caches prefixes of any size, so that conversations can be small here. */
const CACHE = { minimumTokens: 0, readRatio: 0.1, writeRatio: 1.25, ttlMs: 300_000, breakpoints: 4 };

/** The conversation's model needs explicit cache marks. */
const play = ({ keys, ...options }: Partial<PlayOptions> & { readonly keys?: object } = {}): Promise<Play> =>
  playPreset({
    budgetTokens: 1_000,
    counter: "estimate",
    model: MODEL,
    models: { [MODEL]: { startFactor: 1, cache: CACHE } },
    script: () => replies.text(SUMMARY),
    policy: { preset: "agent-rounds", ...keys },
    ...options,
  });

const say = (session: Session, messages: readonly Message[]) => session.append(messages, { format: "palimpsest" });

/** A finished turn, then one with `count` rounds so far. */
function aToolLoop(count: number, times = 10) {
  const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
  const before = [
    aUserMessage("What stands in the notes?"),
    ...aRound([{ callId: "old", output: PROSE.repeat(times) }], { text: "I look." }),
    anAssistantMessage("They tell of a fox."),
  ];
  const rounds = Array.from({ length: count }, (_, index) =>
    aRound([{ callId: `call-${index}`, output: `output ${index}: ${PROSE.repeat(times)}` }], {
      text: `Step ${index}.`,
    }),
  );
  return { before, request: aUserMessage("Now find the other animal."), rounds };
}

/** A tool result in the AI SDK's format. */
const aResult = (toolCallId: string, value: string) => ({
  id: `result-${toolCallId}`,
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName: "read_file", output: { type: "text", value } }],
});

const countMarks = (prompt: Prompt): number => JSON.stringify(prompt.as("anthropic")).split("cache_control").length - 1;

function expectValid(prompt: Prompt): void {
  for (const provider of PROVIDERS) expect(validate(prompt.as(provider), provider)).toEqual([]);
}

describe("cache breakpoints", () => {
  test(
    shows("S2-4", "are set whenever the setting is on, before and after a summary, and not when it is off"),
    async () => {
      const marksWith = async (isOn: boolean) => {
        await using stage = await play({ keys: { SummarizeAgentConversationHistory: isOn } });
        const { before, request, rounds } = aToolLoop(4);
        await say(stage.session, [...before, request, ...rounds.slice(0, 2).flat()]);
        const small = await stage.session.prompt();
        await say(stage.session, rounds.slice(2).flat());
        const large = await stage.session.prompt();
        const asked = await stage.session.prompt({ breakpoints: !isOn });
        return [small, large, asked].map(countMarks);
      };
      const [small = 0, large = 0, without] = await marksWith(true);
      expect(small).toBeGreaterThan(0);
      expect(large).toBeGreaterThan(0);
      expect(without).toBe(0);
      const [none, stillNone, with_ = 0] = await marksWith(false);
      expect([none, stillNone]).toEqual([0, 0]);
      // The setting of a single request takes precedence.
      expect(with_).toBeGreaterThan(0);
    },
  );

  test(
    shows("S2-7", "are set together with the summarized history and its metadata, and not when the setting is off"),
    async () => {
      const promptWith = async (isOn: boolean) => {
        await using stage = await play({ keys: { SummarizeAgentConversationHistory: isOn } });
        const { before, request, rounds } = aToolLoop(4);
        await say(stage.session, [...before, request, ...rounds.flat()]);
        return { prompt: await stage.session.prompt(), asked: stage.provider.requests.length, rounds };
      };
      const on = await promptWith(true);
      expect(countMarks(on.prompt)).toBeGreaterThan(0);
      expect(linesOf(on.prompt)[0]).toBe(TAGGED);
      expect(on.prompt.report.summary).toMatchObject({ toolCallRoundId: on.rounds[2]?.[0]?.id, text: SUMMARY });
      const off = await promptWith(false);
      expect(countMarks(off.prompt)).toBe(0);
      expect(linesOf(off.prompt).join("\n")).not.toContain("conversation-summary");
      expect(off.prompt.report.summary).toBeUndefined();
      expect(off.asked).toBe(0);
    },
  );

  test(
    shows("S2-44", "are left out if summarizing failed, and return with the next prompt whose summary succeeds"),
    async () => {
      let isDown = true;
      await using stage = await play({ script: () => (isDown ? replies.serverError() : replies.text(SUMMARY)) });
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.flat()]);
      const fallback = await stage.session.prompt();
      expect(fallback.report.compaction?.isRecorded).toBe(false);
      expect(countMarks(fallback)).toBe(0);
      expect(fallback.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
      expectValid(fallback);
      isDown = false;
      const next = await stage.session.prompt();
      expect(linesOf(next)[0]).toBe(TAGGED);
      expect(countMarks(next)).toBeGreaterThan(0);
    },
  );

  test.each([
    [true, true],
    [false, false],
  ])(
    shows("S2-24", "are in the summarizer's request if and only if it follows the agent's own prompt (follows: %s)"),
    async (isBehindPrompt, isMarked) => {
      await using stage = await play({
        budgetTokens: 20_000,
        keys: { AgentHistorySummarizationWithPromptCache: isBehindPrompt },
        summarizer: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "test-key" })(MODEL),
      });
      const { before, request, rounds } = aToolLoop(4, 290);
      await say(stage.session, [...before, request, ...rounds.slice(0, 3).flat()]);
      await stage.session.prompt({ instructions: "You are an agent.", tools: TOOLS });
      await say(stage.session, rounds[3] ?? []);
      const prompt = await stage.session.prompt({ instructions: "You are an agent.", tools: TOOLS });
      expect(linesOf(prompt)[0]).toBe(TAGGED);
      const body = lastBody(stage.provider);
      expect(JSON.stringify(body).includes("cache_control")).toBe(isMarked);
      const messages = Array.isArray(body.messages) ? body.messages : [];
      // The request for a summary after the prompt is sent only once, so it is never marked for the cache.
      const blocks = isJsonObject(messages.at(-1)) ? messages.at(-1).content : [];
      expect(JSON.stringify(Array.isArray(blocks) ? blocks.at(-1) : blocks)).not.toContain("cache_control");
      expect(wordsOf(messages).includes("output 2")).toBe(true);
    },
  );
});

describe("a prompt that is too large", () => {
  test(
    shows(["S2-5", "S2-6"], "is assembled again with the summarized history, and with the results of its request"),
    async () => {
      await using stage = await play();
      const { before, request, rounds } = aToolLoop(4);
      const [call] = rounds[3] ?? [];
      await say(stage.session, [...before, request, ...rounds.slice(0, 3).flat()]);
      if (call === undefined) throw new TypeError("A round begins with a call.");
      await say(stage.session, [call]);
      const prompt = await stage.session.prompt({ next: aResult("call-3", `output 3: ${PROSE.repeat(10)}`) });
      expect(stage.eventsOf("compaction-start")).toMatchObject([{ triggers: ["overflow"], need: "hard" }]);
      const lines = linesOf(prompt);
      expect(lines[0]).toBe(TAGGED);
      expect(lines.join("\n").split("output 3:")).toHaveLength(2);
      expect(prompt.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
      expectValid(prompt);
      expect((await stage.session.transcript()).filter(({ role }) => role === "tool")).toHaveLength(5);
    },
  );

  test(shows(["S2-5", "S2-6"], "for the provider is retried with the results of the failed attempt"), async () => {
    await using stage = await play({ budgetTokens: 3_000 });
    const { before, request, rounds } = aToolLoop(6);
    const [call] = rounds[5] ?? [];
    if (call === undefined) throw new TypeError("A round begins with a call.");
    await say(stage.session, [...before, request, ...rounds.slice(0, 5).flat(), call]);
    const first = await stage.session.prompt();
    expect(first.report.compaction).toBeUndefined();
    await using agent = await startScriptedProvider([replies.overflow()]);
    const model = createAnthropic({ baseURL: `${agent.url}/v1`, apiKey: "test-key" })(MODEL);
    const error = await generateText({ model, ...first.forStreamText(), maxRetries: 0 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(agent.requests).toHaveLength(1);
    // The tool finished while the refused attempt was running.
    const results = [aResult("call-5", `output 5: ${PROSE.repeat(10)}`)];
    const retry = await stage.session.refused(error, { promptId: first.id, next: results });
    expect(stage.eventsOf("compaction-start")[0]?.triggers).toContain("refusal");
    const lines = linesOf(retry);
    expect(lines[0]).toBe(TAGGED);
    expect(lines.join("\n").split("output 5:")).toHaveLength(2);
    expect(retry.report.tokens).toBeLessThan(first.report.tokens);
    expectValid(retry);
    // Results with the same ids are stored once.
    const again = await stage.session.refused(error, { promptId: retry.id, next: results });
    expect(linesOf(again).join("\n").split("output 5:")).toHaveLength(2);
    expect((await stage.session.transcript()).filter(({ id }) => id === "result-call-5")).toHaveLength(1);
  });

  test(
    shows("S2-10", "keeps the base instructions, context, endpoint, length of results and trigger unchanged"),
    async () => {
      await using stage = await play({
        budgetTokens: undefined,
        windowTokens: undefined,
        models: { [MODEL]: { windowTokens: 1_000, maxInputTokens: 1_000, maxOutputTokens: 1, startFactor: 1 } },
        reserveTokens: 0,
      });
      const { before, request, rounds } = aToolLoop(3);
      const { aRound } = messageBuilder(() => crypto.randomUUID());
      const huge = aRound([{ callId: "huge", output: `output huge: ${PROSE.repeat(300)}` }]);
      const history = freezeDeep([...before, request, ...rounds.flat(), ...huge]);
      const asked = freezeDeep({ instructions: "You are an agent.", tools: TOOLS, notes: "open file: notes.md" });
      const historyBefore = structuredClone(history);
      const wasAsked = structuredClone(asked);
      await say(stage.session, history);
      const stored = await stage.entries();
      const prompt = await stage.session.prompt({ ...asked, model: MODEL });
      // The budget is the endpoint's window, plus the tools; exceeding it is the trigger.
      const toolTokens = prompt.report.sections.find(({ name }) => name === "tools")?.tokens ?? 0;
      expect(prompt.report.limitTokens).toBe(Math.floor((1_000 - toolTokens) * 0.85) + toolTokens);
      expect(stage.eventsOf("compaction-start")).toMatchObject([{ triggers: ["overflow"], need: "hard" }]);
      // The prompt has base instructions, the summary of the older rounds, the newest round, and the notes.
      for (const provider of PROVIDERS) expect(JSON.stringify(prompt.as(provider))).toContain("You are an agent.");
      const lines = linesOf(prompt);
      expect(lines[0]).toBe(TAGGED);
      expect(lines.join("\n")).toMatch(/output huge: .*characters cut to save room.*on its way/s);
      expect(lines.at(-1)).toContain("open file: notes.md");
      // A result is shown up to about half of the budget.
      const shown = (await stage.session.plan()).runs.at(-1)?.tokens ?? 0;
      expect(shown).toBeGreaterThan(0.4 * prompt.report.limitTokens);
      expect(shown).toBeLessThan(0.6 * prompt.report.limitTokens);
      expectValid(prompt);
      expect([history, asked]).toEqual([historyBefore, wasAsked]);
      expect((await stage.entries()).slice(0, stored.length)).toEqual(stored);
    },
  );
});
