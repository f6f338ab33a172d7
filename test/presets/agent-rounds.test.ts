/**
 * The preset `agent-rounds`, as in its document: a tool loop whose older rounds become one tagged user message when the
 * prompt would exceed its budget. Every summary is requested over a real socket.
 */

import { createOpenAI } from "@ai-sdk/openai";
import { describe, expect, test } from "vitest";
import { onDocumentEvents } from "../../src/compat/documents/document-events.ts";
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Message } from "../../src/core/message/message.ts";
import type { Provider } from "../../src/core/prompt/provider.ts";
import { validate } from "../../src/core/prompt/validate/validate.ts";
import { countText } from "../../src/core/tokens/count-text.ts";
import { estimate } from "../../src/core/tokens/estimate.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { SummaryRequest } from "../../src/ports/summarizer.ts";
import { emptyOrigin } from "../../src/summarizers/guard-summarizer.ts";
import { messageBuilder } from "../../src/testing/builders.ts";
import { shows } from "../../src/testing/shows.ts";
import { SCRIPTED_USAGE } from "../support/scripted-provider.ts";
import { scriptedReplies as replies } from "../support/scripted-provider-reply.ts";
import { askedOf, lastBody, linesOf, type Play, type PlayOptions, playPreset, wordsOf } from "./play-preset.ts";

/** Contains everything that code would add, so that the text stays unchanged. */
const SUMMARY = "What stands in the notes? In notes.md it is a fox.";
const TAGGED = `user: <conversation-summary>\n${SUMMARY}\n</conversation-summary>`;
const PROSE = "the quick brown fox jumps over the lazy dog and goes on its way ";
const BUDGET_TOKENS = 1_000;
/** 1,000 × 0.85, rounded down, unless a test adds tools. */
const LIMIT_TOKENS = 850;

const TOOLS = {
  read_file: {
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
};

/** `keys` are the document's own. */
const play = (options: Partial<PlayOptions> & { readonly keys?: object } = {}): Promise<Play> => {
  const { keys, ...rest } = options;
  return playPreset({
    budgetTokens: BUDGET_TOKENS,
    counter: "estimate",
    script: () => replies.text(SUMMARY),
    policy: { preset: "agent-rounds", ...keys },
    ...rest,
  });
};

const say = (session: Session, messages: readonly Message[]) => session.append(messages, { format: "palimpsest" });

/** About fourteen tokens per repetition. */
const prose = (times: number): string => PROSE.repeat(times);

/** Sentences about the same animals, all of them different. */
const varied = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Fox ${index} met dog ${index * 7} at gate ${index * 3}.`).join(" ");

interface Talk {
  /** A finished turn before the request. */
  readonly before: readonly Message[];
  readonly request: Message;
  /** Each round is a call and its result. */
  readonly rounds: readonly (readonly Message[])[];
}

/** A finished turn, then one with `count` rounds so far. */
function aToolLoop(count: number, times = 10): Talk {
  const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
  const before = [
    aUserMessage("What stands in the notes?"),
    ...aRound([{ callId: "old", output: prose(times) }], { text: "I look." }),
    anAssistantMessage("They tell of a fox."),
  ];
  const request = aUserMessage("Now find the other animal.");
  const rounds = Array.from({ length: count }, (_, index) =>
    aRound([{ callId: `call-${index}`, output: `output ${index}: ${prose(times)}` }], { text: `Step ${index}.` }),
  );
  return { before, request, rounds };
}

const rolesOf = (prompt: Prompt) => prompt.messages.map(({ role }) => role);
const PROVIDERS: readonly Provider[] = ["openai", "openai-responses", "anthropic", "gemini"];

function expectValid(prompt: Prompt): void {
  for (const provider of PROVIDERS) expect(validate(prompt.as(provider), provider)).toEqual([]);
}

/** Returns the words of the request's last message, which has the transcript. */
const transcriptOf = ({ provider }: Play): string => {
  const { messages } = lastBody(provider);
  return Array.isArray(messages) ? wordsOf(messages.at(-1)) : "";
};

describe("a fold", () => {
  test(
    shows(["S2-1", "S2-19", "S2-15", "S2-36", "S2-16"], "with several open rounds covers all but the newest"),
    async () => {
      await using stage = await play();
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.slice(0, 3).flat()]);
      const small = await stage.session.prompt();
      expect(small.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
      expect(stage.provider.requests).toHaveLength(0);
      await say(stage.session, rounds[3] ?? []);
      const prompt = await stage.session.prompt();
      expect(linesOf(prompt)[0]).toBe(TAGGED);
      expect(rolesOf(prompt)).toEqual(["user", "assistant", "tool"]);
      expect(linesOf(prompt).join("\n")).toContain("output 3");
      expect(linesOf(prompt).join("\n")).not.toContain("output 2");
      expect(prompt.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
      expectValid(prompt);
    },
  );

  test(
    shows(["S2-20", "S2-17", "S2-35"], "with one open round or none covers the messages before the newest request"),
    async () => {
      await using stage = await play();
      const { before, request, rounds } = aToolLoop(1, 22);
      const { aUserMessage, anAssistantMessage } = messageBuilder(() => crypto.randomUUID());
      const hello = [aUserMessage("What stands in the notes?"), anAssistantMessage("Which notes?")];
      await say(stage.session, [...hello, ...before]);
      await say(stage.session, [request, ...rounds.flat()]);
      await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(0);
      await say(stage.session, [anAssistantMessage(`It is a dog. ${prose(4)}`)]);
      await say(stage.session, [aUserMessage(`Thank you. ${prose(12)}`)]);
      const prompt = await stage.session.prompt();
      expect(linesOf(prompt)).toEqual([TAGGED, `user: Thank you. ${prose(12)}`]);
      expect(transcriptOf(stage)).toContain("It is a dog.");
      expect(transcriptOf(stage)).not.toContain("Thank you.");
      expectValid(prompt);
    },
  );

  test(shows("S2-20", "does not cover the newest request, even if little else would be left"), async () => {
    await using stage = await play();
    const { before, request, rounds } = aToolLoop(1, 51);
    await say(stage.session, [...before, request, ...rounds.flat()]);
    const prompt = await stage.session.prompt();
    expect(linesOf(prompt)[0]).toBe(TAGGED);
    expect(linesOf(prompt)[1]).toBe("user: Now find the other animal.");
    expect(transcriptOf(stage)).not.toContain("Now find the other animal.");
    expect(prompt.report.compaction?.steps).toEqual(["summarise"]);
    expect(prompt.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
  });

  test(
    shows(["S2-55", "S2-11"], "leaves the newest round out of the summarizer's transcript, and nothing else"),
    async () => {
      await using stage = await play();
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.flat()]);
      const stored = await stage.entries();
      const prompt = await stage.session.prompt();
      expect(transcriptOf(stage)).toContain("output 2");
      expect(transcriptOf(stage)).not.toContain("output 3");
      expect(linesOf(prompt).join("\n")).toContain("output 3");
      const after = await stage.entries();
      expect(after.slice(0, stored.length)).toEqual(stored);
    },
  );

  test(shows(["S2-35", "X-26"], "covers the open turn's own request, which the summary then contains"), async () => {
    await using stage = await play();
    const { before, request, rounds } = aToolLoop(4);
    await say(stage.session, [...before, request, ...rounds.flat()]);
    const prompt = await stage.session.prompt();
    expect(linesOf(prompt).slice(1).join("\n")).not.toContain("Now find the other animal.");
    expect(transcriptOf(stage)).toContain("Now find the other animal.");
    expect(wordsOf(lastBody(stage.provider))).toContain("in the user's own words");
  });

  test(
    shows("S2-18", "leaves an ordered list: the summary, then newer rounds, then the request's own messages"),
    async () => {
      await using stage = await play();
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.flat()]);
      const extras = { instructions: "You are an agent.", notes: "open file: notes.md" };
      const prompt = await stage.session.prompt(extras);
      expect(prompt.instructions).toContain("You are an agent.");
      const lines = linesOf(prompt);
      expect(lines[0]).toBe(TAGGED);
      expect(lines.at(-1)).toContain("open file: notes.md");
      expect(lines.slice(1, -1).join("\n")).toContain("output 3");
    },
  );

  test(shows("S2-2", "leaves the newest batch of calls whole, even if the calls were parallel"), async () => {
    await using stage = await play();
    const { before, request, rounds } = aToolLoop(3);
    const { aRound } = messageBuilder(() => crypto.randomUUID());
    const batch = aRound(
      [
        { callId: "left", output: `left ${prose(5)}` },
        { callId: "right", output: `right ${prose(5)}` },
      ],
      { apart: true },
    );
    await say(stage.session, [...before, request, ...rounds.flat(), ...batch]);
    const prompt = await stage.session.prompt();
    expect(rolesOf(prompt).slice(0, 2)).toEqual(["user", "assistant"]);
    expect(linesOf(prompt).join("\n")).toMatch(/left the quick.*right the quick/su);
    expect(prompt.report.tokens).toBeLessThan(LIMIT_TOKENS);
    expectValid(prompt);
  });

  test("is repeated for as long as the loop runs: every prompt fits, is valid, and ends with the newest round", async () => {
    await using stage = await play();
    const { before, request, rounds } = aToolLoop(40, 9);
    await say(stage.session, [...before, request]);
    for (const [index, round] of rounds.entries()) {
      await say(stage.session, round);
      const prompt = await stage.session.prompt();
      expect(prompt.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
      expect(linesOf(prompt).at(-1)).toContain(`output ${index}:`);
      expectValid(prompt);
    }
    const records = (await stage.session.getSummaryHistory()).map(({ record }) => record);
    expect(records.length).toBeGreaterThan(5);
    expect(records.map(({ depth }) => depth)).toEqual(records.map((_, index) => index));
    expect(stage.provider.requests).toHaveLength(records.length);
  });

  test(shows("C-29", "covers the older half if the policy sets it"), async () => {
    await using stage = await play({ keys: { span: "half" } });
    const { before, request, rounds } = aToolLoop(4);
    await say(stage.session, [...before, request, ...rounds.flat()]);
    const prompt = await stage.session.prompt();
    const lines = linesOf(prompt).join("\n");
    expect(lines).toContain("output 3");
    expect(lines).toContain("output 2");
    expect(lines).not.toContain("output 0");
  });
});

describe("the budget", () => {
  test(shows(["C-29", "S2-38"], "is floor((min(threshold, model max) − tools) × 0.85), plus the tools"), async () => {
    const limitWith = async (keys: object, tools?: Readonly<Record<string, object>>) => {
      await using stage = await play({ keys });
      await stage.session.append({ role: "user", content: "Hello." });
      const { report } = await stage.session.prompt({ tools });
      const toolTokens = report.sections.find(({ name }) => name === "tools")?.tokens ?? 0;
      return { limit: report.limitTokens, toolTokens };
    };
    expect((await limitWith({})).limit).toBe(850);
    expect((await limitWith({ SummarizeAgentConversationHistoryThreshold: 777 })).limit).toBe(Math.floor(777 * 0.85));
    expect((await limitWith({ SummarizeAgentConversationHistoryThreshold: 5_000 })).limit).toBe(850);
    const { limit, toolTokens } = await limitWith({ SummarizeAgentConversationHistoryThreshold: 777 }, TOOLS);
    expect(toolTokens).toBeGreaterThan(10);
    expect(limit - toolTokens).toBe(Math.floor((777 - toolTokens) * 0.85));
  });

  test("is exact: a prompt of that size is sent unchanged, and one more token needs a summary", async () => {
    await using stage = await play();
    const { before, request, rounds } = aToolLoop(3);
    await say(stage.session, [...before, request, ...rounds.flat()]);
    const { tokens } = (await stage.session.prompt({ preview: true })).report;
    const thresholds = [0, 1].map((more) => Math.ceil((tokens - more) / 0.85));
    const asked = await Promise.all(
      thresholds.map(async (SummarizeAgentConversationHistoryThreshold) => {
        await using other = await play({ keys: { SummarizeAgentConversationHistoryThreshold } });
        await say(other.session, [...before, request, ...rounds.flat()]);
        const { report } = await other.session.prompt();
        return [report.limitTokens, other.provider.requests.length];
      }),
    );
    expect(asked).toEqual([
      [tokens, 0],
      [tokens - 1, 1],
    ]);
  });
});

describe("the summarizer's request", () => {
  /** Causes one overflow with tools in the prompt, and returns the body of the request. */
  async function ask(keys: object, options: Partial<PlayOptions> = {}) {
    await using stage = await play({ keys, ...options });
    const { before, request, rounds } = aToolLoop(4);
    await say(stage.session, [...before, request, ...rounds.slice(0, 3).flat()]);
    await stage.session.prompt({ instructions: "You are an agent.", tools: TOOLS });
    await say(stage.session, rounds[3] ?? []);
    const prompt = await stage.session.prompt({ instructions: "You are an agent.", tools: TOOLS });
    expect(stage.provider.requests).toHaveLength(1);
    return { body: lastBody(stage.provider), prompt, attempts: stage.eventsOf("summary") };
  }
  const SAME_MODEL = { model: "gpt-4.1-mini", models: { "gpt-4.1-mini": { startFactor: 1 } } };

  test(
    shows(
      ["S2-21", "S2-22", "S2-23", "S2-39"],
      "in full mode has numbered headings, temperature 0, and forbids tool calls",
    ),
    async () => {
      const { body, attempts } = await ask({ AgentHistorySummarizationMode: "full" }, SAME_MODEL);
      expect(body).toMatchObject({ temperature: 0, tool_choice: "none" });
      expect(wordsOf(body)).toContain("6. Running and waiting");
      expect(attempts).toMatchObject([{ outcome: "accepted", strategy: "handoff-full", calls: 1 }]);
    },
  );

  test(
    shows(
      ["S2-21", "S2-22", "S2-23", "S2-39"],
      "in simple mode asks for short paragraphs, has temperature 0, and sends no tools",
    ),
    async () => {
      const { body, attempts } = await ask({ AgentHistorySummarizationMode: "simple" }, SAME_MODEL);
      expect(body).toMatchObject({ temperature: 0 });
      expect(body).not.toHaveProperty("tool_choice");
      expect(body).not.toHaveProperty("tools");
      expect(wordsOf(body)).toContain("as short paragraphs");
      expect(attempts).toMatchObject([{ strategy: "handoff-simple" }]);
    },
  );

  test(
    shows(["S2-21", "S2-41", "S2-55"], "with the prompt cache is the agent's own prompt, and the request after it"),
    async () => {
      const { body, attempts } = await ask({ AgentHistorySummarizationWithPromptCache: true }, SAME_MODEL);
      const messages = Array.isArray(body.messages) ? body.messages : [];
      expect(messages[0]).toEqual({ role: "system", content: "You are an agent." });
      expect(JSON.stringify(messages)).toContain('"role":"tool"');
      expect(wordsOf(messages)).toContain("output 2");
      expect(wordsOf(messages)).not.toContain("output 3");
      expect(wordsOf(messages.at(-1))).toContain("The work stops here for now.");
      expect(body).toMatchObject({ temperature: 0, tool_choice: "none" });
      expect(JSON.stringify(body.tools)).toContain("read_file");
      expect(attempts).toMatchObject([{ strategy: "handoff-after-prompt" }]);
    },
  );

  test("uses the form that its key names, even if the other one would be cheaper", async () => {
    const { body } = await ask({}, SAME_MODEL);
    expect(wordsOf(body)).not.toContain("The work stops here for now.");
    expect(JSON.stringify(body.messages)).not.toContain('"role":"tool"');
  });

  test(shows("S2-40", "goes to the forced model if it is available"), async () => {
    const models = (url: string) => {
      const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: "test-key" });
      return [openai.chat("gpt-4.1-mini"), openai.chat("gpt-4.1")];
    };
    const [free, forced] = await Promise.all([
      ask({}, { summarizer: models }),
      ask({ AgentHistorySummarizationForceGpt41: true }, { summarizer: models }),
    ]);
    expect(free.body.model).toBe("gpt-4.1-mini");
    expect(forced.body.model).toBe("gpt-4.1");
  });

  test(shows("C-29", "shows the first 200 characters of a tool's arguments"), async () => {
    await using stage = await play();
    const { before, request, rounds } = aToolLoop(4);
    const { aRound } = messageBuilder(() => crypto.randomUUID());
    const long = aRound([
      { callId: "long", tool: "write_file", input: { text: `${"a".repeat(300)}z` }, output: "done" },
    ]);
    await say(stage.session, [...before, ...long, request, ...rounds.flat()]);
    await stage.session.prompt();
    expect(transcriptOf(stage)).toMatch(/calls write_file with \{"text":"a{191}…\)/u);
  });

  test(shows("C-29", "falls back from full to simple if the full answer is useless"), async () => {
    const script = [replies.empty(), replies.text(SUMMARY)];
    await using stage = await play({ script });
    const { before, request, rounds } = aToolLoop(4);
    await say(stage.session, [...before, request, ...rounds.flat()]);
    const prompt = await stage.session.prompt();
    const [full, simple] = askedOf(stage.provider);
    expect(full).toContain("6. Running and waiting");
    expect(simple).toContain("as short paragraphs");
    expect(linesOf(prompt)[0]).toBe(TAGGED);
    expect(stage.eventsOf("summary")).toMatchObject([{ outcome: "accepted", strategy: "handoff-simple", calls: 2 }]);
  });

  test(shows("C-29", "is valid despite thinking or a call without its result, and so is the next prompt"), async () => {
    await using stage = await play();
    const { aToolCall, anAssistantMessage, aUserMessage, aRound } = messageBuilder();
    const thought = anAssistantMessage("", { parts: [{ type: "reasoning", text: `I wonder. ${prose(20)}` }] });
    await say(stage.session, [
      aUserMessage("What stands in the notes?"),
      thought,
      aToolCall("orphan"),
      aUserMessage("Go on."),
    ]);
    for (const callId of ["a", "b", "c"]) await say(stage.session, aRound([{ callId, output: prose(15) }]));
    const prompt = await stage.session.prompt();
    expect(linesOf(prompt)[0]).toBe(TAGGED);
    expect(prompt.report.compaction?.steps).toContain("summarise");
    expectValid(prompt);
  });
});

describe("tool results in the request", () => {
  test(
    shows(["S2-50", "S2-51", "X-5"], "are cut at about half of the summarizer's prompt, and an event reports it"),
    async () => {
      const windowTokens = 4_000;
      const models = {
        "gpt-4.1-mini": { windowTokens, maxInputTokens: windowTokens, maxOutputTokens: 400, startFactor: 1 },
      };
      await using stage = await play({ budgetTokens: 6_000, models });
      const { aUserMessage, aRound } = messageBuilder();
      await say(stage.session, [
        aUserMessage("What stands in the notes?"),
        ...aRound([{ callId: "bulk", output: prose(300) }]),
        ...aRound([{ callId: "newest", output: prose(90) }]),
      ]);
      const prompt = await stage.session.prompt();
      const half = Math.floor((windowTokens - 400) * 0.5 * 4);
      const [asked = ""] = askedOf(stage.provider);
      expect(asked).toContain(`cut here: ${half} of ${prose(300).length} characters of this output are shown`);
      expect(asked).toContain("Tool outputs that are cut because of their length: 1.");
      expect(stage.eventsOf("summary")).toMatchObject([{ outcome: "accepted", cutResults: 1 }]);
      expect((await stage.session.getSummaryHistory())[0]?.record.cutResults).toBe(1);
      expect(linesOf(prompt)[0]).toBe(TAGGED);
    },
  );

  test("that are shorter are shown whole, and no event reports a cut", async () => {
    await using stage = await play();
    const { before, request, rounds } = aToolLoop(4);
    await say(stage.session, [...before, request, ...rounds.flat()]);
    await stage.session.prompt();
    expect(askedOf(stage.provider)[0]).not.toContain("cut");
    expect(stage.eventsOf("summary")).toMatchObject([{ cutResults: 0 }]);
  });
});

describe("the summary's size", () => {
  test(
    shows(
      ["S2-42", "S2-43", "S2-25"],
      "above maxSummaryTokens is too large: the model is not called again, and a prompt that fits is still returned",
    ),
    async () => {
      await using stage = await play({
        keys: { maxSummaryTokens: 40 },
        script: () => replies.text(varied(8)),
      });
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.flat()]);
      const prompt = await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(1);
      expect(stage.eventsOf("summary")).toMatchObject([
        { outcome: "rejected", rule: "too-large", reason: "Summary too large." },
      ]);
      expect(stage.eventsOf("compaction")).toEqual([]);
      expect(prompt.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
      expect(linesOf(prompt).join("\n")).toContain("output 3");
      expectValid(prompt);
    },
  );

  test(
    shows(["S2-25", "S2-43"], "above the room left in the prompt is too large, even without a setting"),
    async () => {
      await using stage = await play({ script: () => replies.text(varied(80)) });
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.flat()]);
      const prompt = await stage.session.prompt();
      expect(stage.eventsOf("summary")).toMatchObject([{ outcome: "rejected", rule: "too-large" }]);
      expect(stage.provider.requests).toHaveLength(1);
      expect(prompt.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
    },
  );

  test(shows("S2-32", "is counted by the prompt's counter, and so is the room for it"), async () => {
    const asked: SummaryRequest[] = [];
    const origin = { ...emptyOrigin("own"), request: "transcript" as const };
    const summarizer = {
      name: "own",
      estimateCost: () => 0,
      summarize: async (request: SummaryRequest) => {
        asked.push(request);
        return { type: "summary", text: SUMMARY, origin } as const;
      },
    };
    await using stage = await play({ summarizer: () => summarizer });
    const { before, request, rounds } = aToolLoop(4);
    await say(stage.session, [...before, request, ...rounds.flat()]);
    const { report } = await stage.session.prompt();
    expect(asked.map(({ counter }) => counter.id)).toEqual([report.counter.id]);
    expect(asked[0]?.capTokens).toBeLessThan(LIMIT_TOKENS);
    expect((await stage.session.getSummaryHistory())[0]?.record.tokensAfter).toBe(countText(SUMMARY, estimate));
  });
});

describe("a failure", () => {
  const FAILURES = {
    "a server error": replies.serverError(),
    "a refusal": replies.refusal(),
    "an empty answer": replies.whitespace(),
    "a call of a tool": replies.toolCall("read_file", { path: "a" }),
  };
  for (const [name, reply] of Object.entries(FAILURES)) {
    test(shows(["S2-44", "S2-3"], `such as ${name} is reported, and the prompt still fits`), async () => {
      await using stage = await play({ script: () => reply });
      const received: string[] = [];
      onDocumentEvents(stage.palimpsest, "agent-rounds", (...[name]) => void received.push(name));
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.flat()]);
      const stored = await stage.entries();
      const prompt = await stage.session.prompt();
      expect(stage.eventsOf("compaction-start")).toMatchObject([{ triggers: ["overflow"], need: "hard" }]);
      expect(stage.eventsOf("summary").every(({ outcome }) => outcome !== "accepted")).toBe(true);
      expect(stage.eventsOf("compaction-end")).toMatchObject([{ outcome: "failed" }]);
      expect(received).toContain("summarizedConversationHistory");
      expect(received).toContain("triggerSummarizeFailed");
      expect(stage.eventsOf("compaction")).toEqual([]);
      expect(prompt.report.compaction?.isRecorded).toBe(false);
      expect(prompt.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
      expect(linesOf(prompt).join("\n")).toContain("output 3");
      expectValid(prompt);
      const after = (await stage.entries()).filter(({ type }) => type !== "request");
      expect(after).toEqual(stored);
    });
  }

  test(shows("S2-44", "is retried with the next prompt"), async () => {
    // A transport failure is retried once before it counts as a failure.
    const script = (_: unknown, index: number) => (index < 2 ? replies.serverError() : replies.text(SUMMARY));
    await using stage = await play({ script });
    const { before, request, rounds } = aToolLoop(4);
    await say(stage.session, [...before, request, ...rounds.flat()]);
    await stage.session.prompt();
    expect(stage.eventsOf("compaction")).toEqual([]);
    expect(linesOf(await stage.session.prompt())[0]).toBe(TAGGED);
  });
});

describe("a prompt with nothing to summarize", () => {
  test(shows("S2-49", "cuts the middle of a lone request that is too large, without a summarizer call"), async () => {
    await using stage = await play();
    const { aUserMessage } = messageBuilder();
    await say(stage.session, [aUserMessage(`First words. ${prose(200)} Last words.`)]);
    const prompt = await stage.session.prompt();
    expect(stage.provider.requests).toHaveLength(0);
    const [line = ""] = linesOf(prompt);
    expect(line).toContain("First words.");
    expect(line).toContain("Last words.");
    expect(line).toContain("cut to save room");
    expect(prompt.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
    expect(prompt.report.summary).toBeUndefined();
    expect((await stage.session.history())[0]?.parts[0]).toMatchObject({
      text: `First words. ${prose(200)} Last words.`,
    });
  });

  test(shows("S2-49", "throws one error that names the floor if the request cannot be made small enough"), async () => {
    await using stage = await play();
    await stage.session.append({ role: "user", content: "Hello." });
    const error = await stage.session.prompt({ instructions: prose(100) }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PalimpsestError);
    expect(error).toMatchObject({ code: "does-not-fit" });
    expect(stage.provider.requests).toHaveLength(0);
  });
});

describe("the record", () => {
  test(
    shows(
      ["S2-9", "S2-12", "S2-13", "S2-14"],
      "has toolCallRoundId and text, in the report of the prompt that contains it",
    ),
    async () => {
      await using stage = await play();
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.flat()]);
      const prompt = await stage.session.prompt();
      expect(prompt.report.summary).toMatchObject({
        toolCallRoundId: rounds[2]?.[0]?.id,
        throughMessageId: rounds[2]?.[1]?.id,
        text: SUMMARY,
      });
      expect(linesOf(prompt)[0]).toContain(prompt.report.summary?.text);
      expect((await stage.session.getSummaryHistory())[0]?.record).toMatchObject({
        lastRoundId: rounds[2]?.[0]?.id,
        text: SUMMARY,
      });
    },
  );

  test(shows("S2-13", "names a round of the previous turn if that round was folded"), async () => {
    await using stage = await play();
    const { before, request, rounds } = aToolLoop(1, 25);
    const { aUserMessage } = messageBuilder(() => crypto.randomUUID());
    await say(stage.session, [...before, request, ...rounds.flat(), aUserMessage(`And now? ${prose(12)}`)]);
    const { report } = await stage.session.prompt();
    expect(report.summary?.toolCallRoundId).toBe(rounds[0]?.[0]?.id);
  });

  test(
    shows(["S2-46", "S2-48"], "is used by the next turn and after reopening, verbatim and without a call"),
    async () => {
      await using stage = await play();
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.flat()]);
      const prompt = await stage.session.prompt();
      const reopened = await (await stage.openAgain()).session(stage.session.id);
      const again = await reopened.prompt();
      expect(again.messages).toEqual(prompt.messages);
      expect(again.report.summary).toEqual(prompt.report.summary);
      const next = await reopened.prompt({ next: { role: "user", content: "Thank you." } });
      expect(linesOf(next)[0]).toBe(TAGGED);
      expect(next.messages.slice(0, prompt.messages.length)).toEqual(prompt.messages);
      expect(stage.provider.requests).toHaveLength(1);
    },
  );

  test(
    shows(
      "C-29",
      "replaces the earlier record: a later summary includes the earlier one, and only the later one is live",
    ),
    async () => {
      await using stage = await play({
        script: (_, index) => replies.text(`Summary number ${index === 0 ? "one" : "two"}.`),
      });
      const { before, request, rounds } = aToolLoop(9);
      await say(stage.session, [...before, request, ...rounds.slice(0, 4).flat()]);
      await stage.session.prompt();
      await say(stage.session, rounds.slice(4).flat());
      const prompt = await stage.session.prompt();
      expect(askedOf(stage.provider)[1]).toMatch(/Previous summary: .*Summary number one\./su);
      const lines = linesOf(prompt).join("\n");
      expect(lines).toContain("Summary number two.");
      expect(lines).not.toContain("Summary number one.");
      const history = await stage.session.getSummaryHistory();
      expect(history.map(({ record, isLive }) => [record.depth, isLive])).toEqual([
        [0, false],
        [1, true],
      ]);
    },
  );

  test(
    shows("S2-3", "is announced by events about the trigger, the call and the change, with their token counts"),
    async () => {
      await using stage = await play();
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.flat()]);
      const { report } = await stage.session.prompt();
      const [start] = stage.eventsOf("compaction-start");
      const [change] = stage.eventsOf("compaction");
      expect(start?.reason).toBe(
        `${start?.tokensBefore.toLocaleString("en")} tokens exceed the limit of ${LIMIT_TOKENS.toLocaleString("en")}`,
      );
      expect(stage.eventsOf("summary")).toMatchObject([{ outcome: "accepted", calls: 1, model: "gpt-4.1-mini" }]);
      expect(change).toMatchObject({
        steps: ["summarise"],
        tokensBefore: start?.tokensBefore,
        tokensAfter: report.tokens,
      });
      expect(change?.compressedMessages).toBe(before.length + 1 + 6);
    },
  );

  test(
    shows(
      "S2-53",
      "reports the effect of its change on the provider's cache, and how much the summarizer read from it",
    ),
    async () => {
      const models = { "gpt-4.1-mini": { startFactor: 1 } };
      const keys = { AgentHistorySummarizationWithPromptCache: true };
      await using stage = await play({ keys, model: "gpt-4.1-mini", models });
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.slice(0, 3).flat()]);
      await stage.session.prompt();
      await say(stage.session, rounds[3] ?? []);
      const { report } = await stage.session.prompt();
      const [change] = stage.eventsOf("compaction");
      const { removedTokens = 0, addedTokens = 0, keptTokens = 0 } = change?.weight ?? {};
      expect(removedTokens - addedTokens).toBe((change?.tokensBefore ?? 0) - (change?.tokensAfter ?? 0));
      expect(keptTokens + addedTokens).toBe(report.tokens);
      expect(report.changes[0]).toMatchObject({ section: "summary", entryId: change?.record?.id });
      const { inputTokens, cacheReadTokens } = SCRIPTED_USAGE;
      expect(change?.attempts).toMatchObject([{ usage: { inputTokens, cacheReadTokens } }]);
    },
  );
});

describe("notebooks", () => {
  const run = (callId: string, cellId: string, output: string, failed = false) => ({
    callId,
    tool: "RunNotebookCell",
    input: { filePath: "plots/fox.ipynb", cellId },
    output,
    failed,
  });

  test(
    shows("S2-54", "cells that ran are in the summary and in the next one, whatever the summarizer writes"),
    async () => {
      await using stage = await play();
      const { aUserMessage, aRound } = messageBuilder();
      await say(stage.session, [
        aUserMessage("Draw the fox."),
        ...aRound([run("one", "load-data", prose(16))]),
        ...aRound([run("two", "draw-fox", `no such column ${prose(16)}`, true)]),
        ...aRound([{ callId: "three", output: prose(20) }]),
        ...aRound([{ callId: "four", output: prose(10) }]),
      ]);
      const first = await stage.session.prompt();
      expect(linesOf(first)[0]).toContain(SUMMARY);
      expect(linesOf(first)[0]).toContain("plots/fox.ipynb cell load-data → ran");
      expect(linesOf(first)[0]).toContain("plots/fox.ipynb cell draw-fox → failed");
      await say(stage.session, aRound([run("five", "draw-fox", prose(10))]));
      await say(stage.session, aRound([{ callId: "six", output: prose(20) }]));
      await say(stage.session, aRound([{ callId: "seven", output: prose(20) }]));
      const second = await stage.session.prompt();
      expect((await stage.session.getSummaryHistory()).length).toBe(2);
      expect(linesOf(second)[0]).toContain("plots/fox.ipynb cell load-data → ran");
      expect(linesOf(second)[0]).toContain("plots/fox.ipynb cell draw-fox → ran");
    },
  );

  test(shows("S2-52", "a call with unexpected arguments is reported once, and nothing else changes"), async () => {
    await using stage = await play();
    const { aUserMessage, aRound } = messageBuilder();
    const drifted = (callId: string) => ({
      callId,
      tool: "RunNotebookCell",
      input: { uri: "a.ipynb", cell: 3 },
      output: "ok",
    });
    await say(stage.session, [aUserMessage("Run it."), ...aRound([drifted("a")]), ...aRound([drifted("b")])]);
    await say(stage.session, aRound([drifted("c")]));
    expect(stage.eventsOf("warning").map(({ text }) => text)).toEqual([expect.stringContaining("RunNotebookCell")]);
    expect(rolesOf(await stage.session.prompt())).toEqual(["user", ...Array(3).fill(["assistant", "tool"]).flat()]);
  });
});

describe("the controls", () => {
  test(shows("C-29", "compact() adds the caller's instructions to the request, at any size"), async () => {
    await using stage = await play();
    const { before, request, rounds } = aToolLoop(2);
    await say(stage.session, [...before, request, ...rounds.flat()]);
    const outcome = await stage.session.compact({ instructions: "Keep what the fox said." });
    expect(outcome.type).toBe("compacted");
    expect(askedOf(stage.provider)[0]).toContain("Keep what the fox said.");
    expect(askedOf(stage.provider)[0]).toContain("6. Running and waiting");
    const prompt = await stage.session.prompt();
    expect(linesOf(prompt)[0]).toBe(TAGGED);
    expect(rolesOf(prompt)).toEqual(["user", "assistant", "tool"]);
  });

  test(
    shows("C-29", "a summary in the background is prepared at 75 %, applied at 95 %, and paid for once"),
    async () => {
      const guards = { minMessages: 0, cooldownMessages: 0, maxSummaryChainDepth: 100, onDepthCap: "fold" };
      const triggers = [{ type: "ratio", of: "budget", triggerRatio: 0.75, resetRatio: 0.7, ...guards }];
      const background = { prepareRatio: 0.75, applyRatio: 0.95 };
      await using stage = await play({ keys: { triggers, background, gate: true } });
      const { before, request, rounds } = aToolLoop(1, 3);
      const { aRound } = messageBuilder(() => crypto.randomUUID());
      await say(stage.session, [...before, request, ...rounds.flat()]);
      await stage.session.prompt();
      await stage.session.settle();
      expect(stage.provider.requests).toHaveLength(0);
      // The kept part is large and the removed part small, so a compaction does not pay for itself yet.
      await say(stage.session, aRound([{ callId: "large", output: prose(39) }]));
      const whole = await stage.session.prompt();
      await stage.session.settle();
      expect(whole.report.tokens).toBeGreaterThanOrEqual(0.75 * BUDGET_TOKENS);
      expect(linesOf(whole)[0]).toBe("user: What stands in the notes?");
      expect(stage.provider.requests).toHaveLength(1);
      const waiting = await stage.session.prompt();
      expect(linesOf(waiting)[0]).toBe("user: What stands in the notes?");
      expect(waiting.report.plan.gate?.acts).toBe(false);
      expect(waiting.report.tokens).toBeLessThan(0.95 * LIMIT_TOKENS);
      await say(stage.session, aRound([{ callId: "last", output: prose(2) }]));
      const { tokens } = (await stage.session.prompt({ preview: true })).report;
      expect(tokens).toBeGreaterThanOrEqual(0.95 * LIMIT_TOKENS);
      expect(tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
      const nearly = await stage.session.prompt();
      expect(nearly.report.tokens).toBeLessThan(LIMIT_TOKENS);
      expect(linesOf(nearly)[0]).toBe(TAGGED);
      expect(stage.eventsOf("compaction")).toMatchObject([{ phase: "background" }]);
      expect(stage.provider.requests).toHaveLength(1);
    },
  );

  test(
    shows("S2-37", "a compaction that is turned off calls no summarizer and writes nothing, and the prompt still fits"),
    async () => {
      await using stage = await play({ keys: { SummarizeAgentConversationHistory: false } });
      const { before, request, rounds } = aToolLoop(6);
      await say(stage.session, [...before, request, ...rounds.flat()]);
      const stored = await stage.entries();
      const prompt = await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(0);
      expect(prompt.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
      expect(stage.eventsOf("compaction")).toEqual([]);
      expect((await stage.entries()).filter(({ type }) => type !== "request")).toEqual(stored);
      expectValid(prompt);
    },
  );
});
