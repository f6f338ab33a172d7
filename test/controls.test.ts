/**
 * Manual controls of compaction: request it, preview it, edit its summary, undo it, expand it, and set it by call, file
 * and environment. Real sessions; models answer over a real socket.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, type LanguageModel } from "ai";
import { describe, expect, test } from "vitest";
import { applyCompaction, type CompactionEvent, onDocumentEvents } from "../src/compat/documents/document-events.ts";
import { toDocumentStatus } from "../src/compat/documents/document-names.ts";
import type { JsonValue } from "../src/core/message/json.ts";
import type { Message } from "../src/core/message/message.ts";
import { messageText } from "../src/core/message/message-text.ts";
import type { Fate } from "../src/core/plan/plan.ts";
import { PROVIDERS } from "../src/core/prompt/provider.ts";
import { validate } from "../src/core/prompt/validate/validate.ts";
import type { CompactionPreview } from "../src/engine/compaction/manual-compaction.ts";
import type { Prompt } from "../src/engine/prompt/prompt.ts";
import type { Session } from "../src/engine/session/session.ts";
import { countedIds, messageBuilder } from "../src/testing/builders.ts";
import { shows } from "../src/testing/shows.ts";
import { askedOf, linesOf, type Play, type PlayOptions, playPreset } from "./presets/play-preset.ts";
import { longTalk } from "./support/long-talk.ts";
import { startScriptedProvider } from "./support/scripted-provider.ts";
import { scriptedReplies as replies } from "./support/scripted-provider-reply.ts";

const offline = () => "offline" as const;

function play(options: Partial<PlayOptions> = {}): Promise<Play> {
  return playPreset({ policy: "default", budgetTokens: 4_000, summarizer: offline, ...options });
}

const structured = (summary: string, more: Record<string, JsonValue> = {}): JsonValue => ({
  summary,
  keyPoints: [],
  context: { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [], ...more },
});

/** Plays a model whose answers are labeled "version a", "version b", and so on. */
function playModel(options: Partial<PlayOptions> = {}): Promise<Play> {
  const script: PlayOptions["script"] = (_, index) =>
    replies.json(structured(`The parts were looked at, version ${"abcdefgh"[index]}.`));
  return play({ summarizer: undefined, script, ...options });
}

const say = (session: Session, messages: readonly Message[]) => session.append(messages, { format: "palimpsest" });

async function previewOf(session: Session, instructions?: string): Promise<CompactionPreview> {
  const preview = await session.compact({ preview: true, instructions });
  if (preview.type !== "preview") throw new Error(JSON.stringify(preview));
  return preview;
}

/** Previews the prompt with a budget so large that nothing is compacted. */
const roomy = (session: Session) => session.prompt({ preview: true, budgetTokens: 500_000 });
const summaryOf = (prompt: Prompt): string => prompt.report.summary?.text ?? "";
const typesOf = async (played: Play) => new Set((await played.entries()).map(({ type }) => type));

describe("compact", () => {
  test("folds the messages before the tail at once, and reports the steps", async () => {
    await using played = await play();
    await say(played.session, longTalk({ turns: 20 }));
    const outcome = await played.session.compact();
    expect(outcome).toMatchObject({ type: "compacted", report: { steps: ["summarise"], isRecorded: true } });
    expect(played.eventsOf("compaction")).toMatchObject([{ phase: "manual", reason: "requested manually" }]);
  });

  test("reports that there is nothing to compact, and why, and writes nothing", async () => {
    await using played = await play();
    await say(played.session, longTalk({ turns: 1 }));
    const outcome = await played.session.compact();
    expect(outcome).toMatchObject({ type: "nothing-to-compact", reason: expect.stringMatching(/\w+/) });
    expect(await typesOf(played)).toEqual(new Set(["message"]));
    expect(played.eventsOf("compaction-end")).toMatchObject([{ outcome: "none", phase: "manual" }]);
  });

  test("returns a preview with sizes, ids, text and cost, and writes nothing until it is applied", async () => {
    await using played = await playModel({ model: "gpt-4.1-mini" });
    const { session } = played;
    await say(session, longTalk({ turns: 20 }));
    const before = await roomy(session);
    const preview = await previewOf(session, "Keep the ports.");
    expect(preview.before).toEqual({ tokens: before.report.tokens, messages: before.messages.length });
    expect(preview.after.tokens).toBeLessThan(preview.before.tokens);
    expect(preview.after.messages).toBe(preview.kept.length);
    expect(preview.record).toMatchObject({ strategy: "structured", instructions: "Keep the ports." });
    expect(preview.costUsd).toBeGreaterThan(0);
    expect(preview.attempts).toMatchObject([{ outcome: "accepted", calls: 1 }]);
    expect((await roomy(session)).messages).toEqual(before.messages);
    expect(await typesOf(played)).toEqual(new Set(["message"]));

    const applied = await preview.apply();
    expect(applied).toMatchObject({ type: "compacted", report: { tokensAfter: preview.after.tokens } });
    expect((await roomy(session)).report.tokens).toBe(preview.after.tokens);
    expect(played.provider.requests).toHaveLength(1);
  });

  test("accepts an edited summary, and refuses one above the limit with both sizes in the error", async () => {
    await using played = await play({ policy: { summary: { maxTokens: 60 } } });
    const { session } = played;
    await say(session, longTalk({ turns: 20 }));
    const preview = await previewOf(session);
    const edited = preview.edit("Eight parts were looked at.");
    expect(edited.record).toMatchObject({ text: "Eight parts were looked at.", strategy: "edited" });
    expect(edited.record?.verification).toBeUndefined();
    expect(edited.kept).toEqual(preview.kept);
    const tooLong = () => preview.edit("Eight parts were looked at. ".repeat(40));
    expect(tooLong).toThrow(/has \d{3} tokens, and this policy allows 60\..*summary\.maxTokens/);
    expect(() => preview.edit("  ")).toThrow(/undo the compaction/);
    await edited.apply();
    expect(summaryOf(await session.prompt())).toBe("Eight parts were looked at.");
  });

  test("applies nothing of a preview that is stale because the past has changed", async () => {
    await using played = await play();
    const { session } = played;
    const talk = longTalk({ turns: 20 });
    await say(session, talk);
    const preview = await previewOf(session);
    await session.pin(talk[0]?.id ?? "");
    expect(await preview.apply()).toEqual({ type: "stale" });
    expect(await session.getSummaryHistory()).toEqual([]);
    expect(played.eventsOf("compaction-end")).toMatchObject([{ outcome: "stale" }]);
  });

  test("keeps messages that arrive later, and shows them after the summary", async () => {
    await using played = await play();
    const { session } = played;
    await say(session, longTalk({ turns: 20 }));
    const preview = await previewOf(session);
    await say(session, longTalk({ turns: 1, from: 20 }));
    expect(await preview.apply()).toMatchObject({ type: "compacted" });
    const shown = linesOf(await session.prompt()).join("\n");
    expect(shown).toContain("OPS-120");
    expect(shown).toContain("[Summary of the");
  });
});

describe("a summary", () => {
  test("is the same byte for byte after an undo and a redo", async () => {
    await using played = await play();
    const { session } = played;
    await say(session, longTalk({ turns: 20 }));
    const whole = (await roomy(session)).as("anthropic");
    await session.compact();
    const folded = (await roomy(session)).as("anthropic");
    expect(folded).not.toEqual(whole);
    const undone = await session.undo();
    expect((await roomy(session)).as("anthropic")).toEqual(whole);
    if (undone.type !== "undone") throw new Error(undone.type);
    expect(undone.undid.kinds).toContain("summary");
    expect(await session.undo(undone.entryId)).toMatchObject({ type: "undone" });
    expect((await roomy(session)).as("anthropic")).toEqual(folded);
    const reopened = await (await played.openAgain()).session(session.id);
    expect((await roomy(reopened)).as("anthropic")).toEqual(folded);
  });

  test("expands to the messages that it covers, word for word", async () => {
    await using played = await play();
    const { session } = played;
    const talk = longTalk({ turns: 20 });
    await say(session, talk);
    await session.compact();
    const [version] = await session.getSummaryHistory();
    const { messages, record, erasedIds } = await session.expand(version?.record.id ?? "");
    expect(messages).toEqual(talk.slice(0, messages.length));
    expect(messages.map(({ id }) => id)).toEqual(record.messageIds);
    expect(erasedIds).toEqual([]);
    await expect(session.expand("no-such")).rejects.toMatchObject({ code: "message-not-found" });
  });

  test(
    shows("X-3", "is rewritten from the same messages with instructions, even while automatic compaction is off"),
    async () => {
      await using played = await playModel({ policy: { enabled: false } });
      const { session } = played;
      await say(session, longTalk({ turns: 20 }));
      expect(await session.resummarize()).toMatchObject({ type: "nothing-to-compact" });
      expect(await session.compact()).toMatchObject({ type: "compacted" });
      expect(await session.resummarize("Keep the tickets.")).toMatchObject({ type: "compacted" });
      const [first, second] = (await session.getSummaryHistory()).map(({ record }) => record);
      expect(second).toMatchObject({
        instructions: "Keep the tickets.",
        depth: first?.depth,
        coverage: first?.coverage,
      });
      expect(second?.messageIds).toEqual(first?.messageIds);
      expect(second?.text).toContain("version b");
      expect(askedOf(played.provider)[1]).toContain("Keep the tickets.");
      await session.undo();
      expect(summaryOf(await roomy(session))).toBe(first?.text);
    },
  );

  test("is edited by hand within its limit, and undo restores the old text", async () => {
    await using played = await play({ policy: { summary: { maxTokens: 200 } } });
    const { session } = played;
    await expect(session.editSummary("None yet.")).rejects.toMatchObject({ code: "message-not-found" });
    await say(session, longTalk({ turns: 20 }));
    await session.compact();
    const before = summaryOf(await roomy(session));
    await session.editSummary("By hand.");
    expect(summaryOf(await roomy(session))).toBe("By hand.");
    await expect(session.editSummary("Too long. ".repeat(200))).rejects.toThrow(/has \d+ tokens.*allows 200/);
    await session.undo();
    expect(summaryOf(await roomy(session))).toBe(before);
  });

  test(
    shows(["S4-20", "S4-22"], "has a history: every record with its fields, linked by parent, and one of them live"),
    async () => {
      await using played = await playModel();
      const { session } = played;
      for (const from of [0, 20, 40]) {
        await say(session, longTalk({ turns: 20, from }));
        await session.compact();
      }
      const history = await session.getSummaryHistory();
      expect(history.map(({ isLive }) => isLive)).toEqual([false, false, true]);
      const records = history.map(({ record }) => record);
      expect(records.map(({ depth }) => depth)).toEqual([0, 1, 2]);
      expect(records.map(({ parentId }) => parentId)).toEqual([undefined, records[0]?.id, records[1]?.id]);
      for (const record of records) {
        expect(record).toMatchObject({ strategy: "structured", model: "gpt-4.1-mini", request: "transcript" });
        expect(record.at).toBe(played.clock.now());
        expect(record.tokensAfter).toBeLessThan(record.tokensBefore);
        expect(record.messageIds.length).toBeGreaterThan(0);
        expect([record.keyPoints, record.facets.constraints, record.text.length > 0]).toMatchObject([
          [],
          [expect.any(String)],
          true,
        ]);
      }
      const covered = records.flatMap(({ messageIds }) => messageIds);
      expect(new Set(covered).size).toBe(covered.length);
      expect(records.at(-1)?.coverage.count).toBe(covered.length);
      const reopened = await (await played.openAgain()).session(session.id);
      expect(await reopened.getSummaryHistory()).toEqual(history);
    },
  );

  test(
    shows(
      "C-32",
      "keeps to the schema's limits, is parsed in its older format, and its failure leaves the conversation usable",
    ),
    async () => {
      const names = (count: number) => Array.from({ length: count }, (_, index) => `src/ledger/step-${index}.ts`);
      const older = {
        summary: "An older shape.",
        key_points: ["The ledger."],
        decisions: [],
        action_items: ["Look again."],
      };
      const answers = [
        replies.json(structured("Too many names.", { domainEntities: names(81) })),
        replies.json(older),
        replies.json(structured("x".repeat(5_001))),
      ];
      await using played = await playModel({ script: answers });
      const { session } = played;
      const strategies: (string | undefined)[] = [];
      for (const from of [0, 20, 40]) {
        await say(session, longTalk({ turns: 20, from }));
        await session.compact();
        strategies.push((await session.getSummaryHistory()).at(-1)?.record.strategy);
        expect((await session.prompt()).messages.length).toBeGreaterThan(0);
      }
      const attempts = played.eventsOf("summary").map(({ outcome, rule }) => [outcome, rule]);
      expect(attempts).toEqual([
        ["accepted", undefined],
        ["accepted", undefined],
        ["failed", "validation"],
      ]);
      expect(strategies).toEqual(["structured", "structured", "offline"]);
      // If a list is above its limit, only the narrative of the answer is used.
      const [first] = await session.getSummaryHistory();
      expect(first?.record.text).toContain("Too many names.");
      expect(first?.record.keyPoints).toEqual([]);
      expect(JSON.stringify(first?.record.facets)).not.toContain("src/ledger/step-80.ts");
    },
  );

  test("is reported as a compaction when it is rewritten or edited", async () => {
    await using played = await play();
    const { session } = played;
    await say(session, longTalk({ turns: 24 }));
    await session.compact();
    expect((await session.resummarize()).type).toBe("compacted");
    await session.editSummary("Ferries stop at piers.");
    expect(played.eventsOf("compaction").map(({ reason, record }) => `${reason}: ${record?.strategy}`)).toEqual([
      "requested manually: offline",
      "rewrite requested manually: offline",
      "edited by hand: edited",
    ]);
  });
});

describe("pins and clears", () => {
  test("a message that was pinned before a compaction stays verbatim after it, with its round", async () => {
    await using played = await play();
    const { session } = played;
    const talk = longTalk({ turns: 20 });
    await say(session, talk);
    const call = talk.find(({ parts }) => parts.some(({ type }) => type === "tool-call"));
    await session.pin(call?.id ?? "");
    await session.compact();
    expect(await session.explain(call?.id ?? "")).toMatchObject({ fate: "pinned", isShown: true });
    const shown = (await session.prompt()).as("openai").messages;
    expect(JSON.stringify(shown)).toContain("call-1");
    expect(JSON.stringify(shown)).toContain("const limit1_7");
  });

  test("a pinned note is in the prompt after a compaction", async () => {
    await using played = await playModel();
    const { session } = played;
    await session.pin({ note: "The auditor comes on Monday." });
    await say(session, longTalk({ turns: 20 }));
    await session.compact();
    expect(linesOf(await session.prompt()).join("\n")).toContain("The auditor comes on Monday.");
  });

  test("a clear removes the summary from the prompt and leaves it in the history", async () => {
    await using played = await play();
    const { session } = played;
    await say(session, longTalk({ turns: 20 }));
    await session.compact();
    await session.clear();
    const prompt = await session.prompt({ next: { role: "user", content: "Who are you?" } });
    expect(linesOf(prompt)).toEqual(["user: Who are you?"]);
    expect((await session.getSummaryHistory()).length).toBe(1);
    expect(await session.undo()).toMatchObject({ type: "undone" });
    expect(linesOf(await session.prompt()).join("\n")).toContain("[Summary of the");
  });
});

describe("settings", () => {
  test(
    shows("X-10", "may differ by model: a prompt for one model is compacted, and for another it is not"),
    async () => {
      const models = { "gpt-4.1": { enabled: false }, "gpt-4.1-mini": { summary: { maxTokens: 80 } } };
      await using played = await play({ policy: { models } });
      const { session } = played;
      await say(session, longTalk({ turns: 60 }));
      const large = await session.prompt({ model: "gpt-4.1", budgetTokens: 4_000 });
      expect(large.report.compaction).toMatchObject({ isRecorded: false });
      expect(await session.getSummaryHistory()).toEqual([]);
      const small = await session.prompt({ model: "gpt-4.1-mini", budgetTokens: 4_000 });
      expect(small.report.compaction).toMatchObject({ isRecorded: true });
      const [version] = await session.getSummaryHistory();
      expect(version?.record.tokensAfter).toBeLessThanOrEqual(80);
    },
  );

  test(
    shows("C-28", "follow their file in a running session, and a broken file changes nothing and causes a warning"),
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "palimpsest-"));
      const configFile = join(folder, "palimpsest.config.json");
      const put = (value: unknown) => writeFile(configFile, typeof value === "string" ? value : JSON.stringify(value));
      try {
        await put({ enabled: false });
        await using played = await play({ policy: {}, configFile });
        const { session } = played;
        await say(session, longTalk({ turns: 60 }));
        expect((await session.prompt()).report.compaction?.isRecorded).toBe(false);
        expect((await session.compactionStatus()).enabled).toBe(false);
        await put("{ broken");
        expect((await session.compactionStatus()).enabled).toBe(false);
        expect(
          played
            .eventsOf("warning")
            .map(({ text }) => text)
            .join(),
        ).toMatch(/cannot be read as JSON/);
        await put({ enabled: true, summary: { maxTokens: 90 } });
        expect((await session.prompt()).report.compaction?.isRecorded).toBe(true);
        expect((await session.getSummaryHistory())[0]?.record.tokensAfter).toBeLessThanOrEqual(90);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );

  test("come from environment variables by the document's names and ours, and the call overrides them", async () => {
    const written = async (environment: Record<string, string>, policy: PlayOptions["policy"] = {}) => {
      await using played = await play({ policy, environment, budgetTokens: 100_000 });
      const counts: number[] = [];
      for (let turn = 0; turn < 8; turn += 1) {
        await played.session.prompt({ next: { role: "user", content: `Question ${turn}?` } });
        await played.session.append({ role: "assistant", content: `Answer ${turn}.` });
        if (played.eventsOf("compaction").length > counts.length) counts.push(2 * turn + 1);
      }
      return counts[0];
    };
    const windowed = { PALIMPSEST_POLICY: "windowed-sql", MAX_CHAT_HISTORY: "8" };
    expect(await written(windowed)).toBe(9);
    expect(await written({ ...windowed, ENABLE_CHAT_SUMMARIZATION: "false" })).toBeUndefined();
    expect(await written(windowed, { preset: "windowed-sql", MAX_CHAT_HISTORY: 10 })).toBe(11);
    expect(await written({ ...windowed, PALIMPSEST_ENABLED: "false" })).toBeUndefined();
    await expect(written({ MAX_CHAT_HISTORY: "many" })).rejects.toThrow(/MAX_CHAT_HISTORY.*many/);
    await expect(written({ PALIMPSEST_SUMMARY_RATIO: "7" })).rejects.toThrow(
      /PALIMPSEST_SUMMARY_RATIO.*above 0 and up to 1.*7/,
    );
  });
});

describe("a refusal", () => {
  const apiKey = "test-key";
  const vendors: Readonly<Record<string, (url: string) => LanguageModel>> = {
    OpenAI: (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat("gpt-4.1-mini"),
    Anthropic: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey })("claude-haiku-4-5"),
    Gemini: (url) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })("gemini-2.5-flash"),
    "a compatible server": (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat("served-here"),
  };
  const bodies: Readonly<Record<string, JsonValue>> = {
    OpenAI: {
      error: {
        message:
          "This model's maximum context length is 3000 tokens. However, your messages resulted in 3600 tokens. Please reduce the length of the messages.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
    Anthropic: {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 3600 tokens > 3000 maximum" },
    },
    Gemini: {
      error: {
        code: 400,
        message: "The input token count (3600) exceeds the maximum number of tokens allowed (3000).",
        status: "INVALID_ARGUMENT",
      },
    },
    "a compatible server": {
      object: "error",
      message:
        "This model's maximum context length is 3000 tokens. However, you requested 0 output tokens and your prompt contains at least 3600 input tokens, for a total of at least 3600 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=3600)",
      type: "BadRequestError",
      code: 400,
    },
  };

  /** The error as the host gets it from the AI SDK, for a prompt that was really sent. */
  async function refusalOf(vendor: string, prompt: Prompt): Promise<unknown> {
    await using provider = await startScriptedProvider([
      { type: "raw", status: 400, body: JSON.stringify(bodies[vendor]) },
    ]);
    const model = vendors[vendor]?.(provider.url) ?? "";
    // The provider is closed when this returns, so the answer is awaited here.
    return await generateText({ model, ...prompt.forStreamText(), maxRetries: 0 }).catch((error: unknown) => error);
  }

  test.each(Object.keys(bodies))(
    "by %s is followed by a smaller prompt, and the report gives the reason",
    async (vendor) => {
      await using played = await play({ policy: { gate: true, triggers: [] } });
      const { session } = played;
      await say(session, longTalk({ turns: 22 }));
      const prompt = await session.prompt();
      expect(prompt.report.compaction).toBeUndefined();
      const refusal = await refusalOf(vendor, prompt);
      const smaller = await session.refused(refusal, { promptId: prompt.id });
      expect(smaller.report.tokens).toBeLessThanOrEqual((prompt.report.tokens * 3_000) / 3_600);
      expect(smaller.report.compaction).toMatchObject({
        isRecorded: true,
        reason: expect.stringMatching(/refused.*3600.*3000/),
      });
      expect(played.eventsOf("compaction-start")[0]?.triggers).toContain("refusal");
      expect(played.eventsOf("warning")).toEqual([]);
      for (const provider of PROVIDERS) expect(validate(smaller.as(provider), provider)).toEqual([]);
    },
  );

  test("is rejected with an error if its prompt is not the newest", async () => {
    await using played = await play();
    await say(played.session, longTalk({ turns: 4 }));
    const first = await played.session.prompt();
    await played.session.prompt();
    const refused = played.session.refused("prompt is too long", { promptId: first.id });
    await expect(refused).rejects.toThrow(
      /is not the newest prompt of this session, .+ is\. Pass the newest id, or omit promptId\.$/,
    );
  });
});

describe("explain", () => {
  const { aUserMessage, anAssistantMessage, aRound } = messageBuilder(countedIds("e-"));
  const bulky = (callId: string) =>
    aRound([{ callId, tool: "run_command", input: { command: callId }, output: `${callId} line\n`.repeat(300) }]);

  const situations: Readonly<Record<Fate, (played: Play) => Promise<string>>> = {
    verbatim: async ({ session }) => {
      await say(session, longTalk({ turns: 2 }));
      return "t0-1";
    },
    pinned: async ({ session }) => {
      await say(session, longTalk({ turns: 20 }));
      await session.pin("t0-1");
      await session.compact();
      return "t0-1";
    },
    summarised: async ({ session }) => {
      await say(session, longTalk({ turns: 20 }));
      await session.compact();
      return "t0-1";
    },
    cleared: async ({ session }) => {
      await say(session, longTalk({ turns: 2 }));
      await session.clear();
      return "t0-1";
    },
    deleted: async ({ session }) => {
      await say(session, longTalk({ turns: 2 }));
      await session.delete("t0-1");
      return "t0-1";
    },
    cut: async ({ session }) => {
      const large = aUserMessage(longTalk({ turns: 60 }).map(messageText).join("\n"));
      await say(session, [large]);
      await session.prompt();
      return large.id;
    },
    truncated: async ({ session }) => {
      await say(session, longTalk({ turns: 60 }));
      await session.prompt({ model: "truncating", budgetTokens: 4_000 });
      return "t0-1";
    },
    pruned: async ({ session }) => {
      const rounds = Array.from({ length: 5 }, (_, index) => bulky(`job-${index}`));
      const talk = [
        aUserMessage("Run them."),
        ...rounds.flat(),
        anAssistantMessage("Done."),
        ...longTalk({ turns: 3 }),
      ];
      await say(session, talk);
      await session.prompt({ model: "pruning", budgetTokens: 8_000 });
      return rounds[0]?.[1]?.id ?? "";
    },
  };
  const policy: PlayOptions["policy"] = {
    models: {
      truncating: { summary: { maxTokens: 10 } },
      pruning: {
        pruneFirst: true,
        targetRatio: 0.6,
        gate: false,
        triggers: [{ type: "messages", maxMessages: 5 }],
        maxCompactionsPerPrompt: 1,
      },
    },
  };

  test.each(Object.keys(situations) as Fate[])("gives the reason why a message is %s", async (fate) => {
    await using played = await play({ policy });
    const messageId = await situations[fate](played);
    const explanation = await played.session.explain(messageId);
    expect(explanation).toMatchObject({ messageId, fate, reason: expect.stringMatching(/\w+ \w+|pinned|unchanged/) });
    const isGone = ["summarised", "truncated", "cleared", "deleted"].includes(fate);
    expect(explanation.isShown).toBe(!isGone);
    if (!["verbatim", "cleared", "deleted"].includes(fate)) {
      const ids = (await played.entries()).map(({ id }) => id as string);
      expect(ids).toContain(explanation.entryId);
    }
    if (fate !== "deleted") expect(await played.session.message(messageId)).toMatchObject({ id: messageId });
  });
});

describe("the plan of a prompt", () => {
  test("names the triggers that fired, those that were held back and why, and every term of the gate", async () => {
    await using played = await play({ model: "gpt-4.1" });
    const { session } = played;
    const long = longTalk({ turns: 20, from: 1 }).map(messageText).join(" ");
    await session.prompt({ next: { role: "user", content: "Good morning." } });
    await session.append([
      { role: "user", content: long },
      { role: "assistant", content: "I see." },
    ]);
    const early = (await session.prompt({ budgetTokens: 3_300 })).report.plan;
    expect(early.need).toMatchObject({ need: "none", fired: [] });
    expect(early.need?.suppressed).toContainEqual({
      type: "ratio",
      why: expect.stringMatching(/ratio of 0\.\d+, at or above the trigger ratio of 0\.6.*3 messages, fewer than 6/),
    });
    await say(session, longTalk({ turns: 6, from: 21 }));
    const { plan, compaction } = (await session.prompt()).report;
    expect(compaction).toBeUndefined();
    expect(plan.need).toMatchObject({ need: "soft", fired: [{ type: "ratio", need: "soft" }], suppressed: [] });
    expect(Object.values(plan.gate?.terms ?? {}).filter((term) => typeof term === "number")).toHaveLength(11);
    expect(plan.gate).toMatchObject({ acts: false, isCold: false });
    const { saved, rewritten, summarizerCost } = plan.gate?.terms ?? { saved: 0, rewritten: 0, summarizerCost: 0 };
    expect(plan.gate?.gain).toBeCloseTo(saved - rewritten - summarizerCost, 6);
    expect(plan.gate?.assumed).toEqual([]);
  });

  test("reports assumed prices if none are known", async () => {
    await using played = await play({ policy: { tail: { ratio: 0.5 } } });
    const gates: NonNullable<Prompt["report"]["plan"]["gate"]>[] = [];
    for (let turn = 0; turn < 30; turn += 1) {
      await say(played.session, longTalk({ turns: 1, from: turn }));
      const { gate } = (await played.session.prompt()).report.plan;
      if (gate !== undefined) gates.push(gate);
    }
    expect(gates.length).toBeGreaterThan(0);
    for (const { assumed } of gates) expect(assumed.join()).toMatch(/No price card is known/);
  });

  test.each([1, 2, 3])("lists as many compactions as the policy allows: %i", async (most) => {
    const policy = {
      triggers: [{ type: "tokens", maxTokens: 50 }],
      gate: false,
      span: "half",
      maxCompactionsPerPrompt: most,
    } as const;
    await using played = await play({ policy });
    await say(played.session, longTalk({ turns: 24 }));
    const { report } = await played.session.prompt();
    expect(report.compactions).toHaveLength(most);
    expect(report.compaction).toEqual(report.compactions.at(-1));
    expect(played.eventsOf("compaction")).toHaveLength(most);
  });
});

describe("after an undo", () => {
  /** A trigger at 20 messages, without the gate. */
  const policy = { gate: false, triggers: [{ type: "messages", maxMessages: 20 }] } as const;

  test("a soft need waits for the next messages, the plan gives the reason, and then the session compacts again", async () => {
    await using played = await play({ policy });
    const { session } = played;
    await say(session, longTalk({ turns: 12 }));
    expect((await session.prompt()).report.compaction).toMatchObject({ isRecorded: true });
    await session.undo();
    await say(session, longTalk({ turns: 1, from: 12 }));
    const { plan, compaction } = (await session.prompt()).report;
    expect(compaction).toBeUndefined();
    expect(plan.need).toMatchObject({
      need: "none",
      suppressed: [{ type: "messages", why: expect.stringMatching(/an undo holds it back/) }],
    });
    await say(session, longTalk({ turns: 5, from: 13 }));
    expect((await session.prompt()).report.compaction).toMatchObject({ isRecorded: true });
  });

  test("a hard need leads to a compaction, and the report says that an undo does not hold it back", async () => {
    await using played = await play();
    const { session } = played;
    await say(session, longTalk({ turns: 40 }));
    await session.prompt();
    await session.undo();
    const { compaction } = (await session.prompt()).report;
    expect(compaction).toMatchObject({
      isRecorded: true,
      reason: expect.stringMatching(/an undo does not hold this trigger back/),
    });
  });
});

test("a preview of a prompt never calls a summarizer, even if the messages do not fit", async () => {
  await using played = await playModel();
  const { session } = played;
  await say(session, longTalk({ turns: 60 }));
  const prompt = await session.prompt({ preview: true, next: { role: "user", content: "And now?" } });
  await session.settle();
  expect(prompt.report.tokens).toBeLessThanOrEqual(prompt.report.limitTokens);
  expect(prompt.report.compaction).toMatchObject({ isRecorded: false });
  expect(played.provider.requests).toEqual([]);
  expect(await typesOf(played)).toEqual(new Set(["message"]));
});

describe("messages in a compaction", () => {
  test(shows("C-31", "are summarized without the user's turn that has no answer yet"), async () => {
    await using played = await playModel();
    const { session } = played;
    await say(session, longTalk({ turns: 20 }));
    await session.append({ role: "user", content: "Which of them was on port 4711?" });
    await session.compact();
    const [asked = ""] = askedOf(played.provider);
    expect(asked).toContain("OPS-101");
    expect(asked).not.toContain("Which of them was on port 4711?");
    expect(linesOf(await session.prompt()).slice(-2)).toEqual([
      "user: Which of them was on port 4711?",
      expect.stringMatching(/^user: \[Earlier in this conversation.*4711/s),
    ]);
  });

  test(shows("C-31", "lose their images when they are pruned, and keep them in the log"), async () => {
    const triggers = [{ type: "messages", maxMessages: 8 }] as const;
    const policy = { pruneFirst: true, targetRatio: 0.6, gate: false, triggers, maxCompactionsPerPrompt: 1 };
    await using played = await play({ policy });
    const { session } = played;
    const image = {
      type: "image",
      source: { type: "data", base64: "AAAA".repeat(500) },
      mediaType: "image/png",
    } as const;
    await say(session, [{ id: "picture", role: "user", parts: [{ type: "text", text: "Look at this." }, image] }]);
    await say(session, longTalk({ turns: 6 }));
    const asShown = JSON.stringify((await session.prompt()).as("openai"));
    expect(await session.explain("picture")).toMatchObject({ fate: "pruned", isShown: true });
    expect(asShown).toContain("Look at this.");
    expect(asShown).not.toContain("image_url");
    expect(await session.message("picture")).toMatchObject({ parts: [{ type: "text" }, { type: "image" }] });
  });

  test(
    shows("C-31", "have a progress note right after the first prompt in a rolling chat, updated in place"),
    async () => {
      await using played = await play({ policy: "rolling-chat", budgetTokens: undefined });
      const { session } = played;
      const { aUserMessage, aRound } = messageBuilder(countedIds("p-"));
      await say(session, [aUserMessage("Build the ledger.")]);
      const notes: (string | undefined)[] = [];
      for (let index = 0; index < 6; index += 1) {
        const input = { path: `src/part-${index}.ts`, content: "const a = 1;\n".repeat(300) };
        await say(session, aRound([{ callId: `w${index}`, tool: "write_file", input, output: "ok" }]));
        const [first, ...rest] = linesOf(await session.prompt());
        expect(rest.join()).not.toContain("[Progress so far]");
        notes.push(first?.replace("user: Build the ledger.", "").trim());
      }
      // With up to seven messages nothing is shortened, so there is no progress note.
      expect(notes.slice(0, 3)).toEqual(["", "", ""]);
      const noted = (count: number) => {
        const files = Array.from({ length: count }, (_, index) => `src/part-${index}.ts`).join(", ");
        return `[Progress so far]\nFiles created: ${files}\nTools used: write_file ${count}`;
      };
      expect(notes.slice(3)).toEqual([noted(4), noted(5), noted(6)]);
      expect(JSON.stringify(await session.history())).not.toContain("Progress so far");
    },
  );
});

describe("the workspace document", () => {
  test(
    shows("C-21", "an event has case, messages, boundary and summary, and applyCompaction returns its messages"),
    async () => {
      const policy = {
        preset: "workspace",
        compaction_trigger_tokens: 1_500,
        verbatim_window_tokens: 400,
        pauseMs: 0,
      } as const;
      const boundary = (index: number | null, confidence: number) =>
        replies.json({ boundary_index: index, boundary_reason: "another part", confidence, summary: "" });
      const resultOf = async (script: PlayOptions["script"]) => {
        await using played = await play({ policy, budgetTokens: undefined, summarizer: undefined, script });
        const results: CompactionEvent[] = [];
        onDocumentEvents(played.palimpsest, "workspace", (_name, _requestId, event) => results.push(event));
        await say(played.session, longTalk({ turns: 16 }));
        await played.session.settle();
        const shown = (await played.session.prompt({ preview: true })).messages;
        return { result: results.find(({ stage }) => stage === "compaction_complete"), shown };
      };
      const history = [{ role: "user", content: "old" }] as const;

      const summarized = await resultOf([boundary(null, 0), replies.text("The parts were looked at.")]);
      expect(summarized.result).toMatchObject({
        case: "summarize",
        summary: expect.stringContaining("The parts were looked at."),
        boundary: { boundary_index: null, confidence: 0 },
      });
      const truncated = await resultOf([boundary(40, 0.9)]);
      expect(truncated.result).toMatchObject({ case: "truncate", boundary: { boundary_index: 40, confidence: 0.9 } });
      expect(truncated.result).not.toHaveProperty("summary");
      for (const { result, shown } of [summarized, truncated]) {
        if (result?.stage !== "compaction_complete" || result.case === "none") throw new Error("nothing was done");
        expect(result.messages).toHaveLength(shown.length);
        expect(applyCompaction(history, result)).toBe(result.messages);
      }
      expect(applyCompaction(history, { case: "none" })).toBe(history);
    },
  );

  test(
    shows(
      "C-22",
      "the status reports whether compaction is on, the trigger, the tokens, and their share of the trigger",
    ),
    async () => {
      await using played = await play({ policy: { preset: "workspace", compaction_trigger_tokens: 1_000 } });
      await say(played.session, longTalk({ turns: 4 }));
      const status = toDocumentStatus(await played.session.compactionStatus());
      expect(status).toEqual({
        enabled: true,
        trigger_tokens: 1_000,
        current_tokens: (await roomy(played.session)).report.tokens,
        percent: Math.round(status.current_tokens) / 10,
      });
      expect(status.current_tokens).toBeGreaterThan(100);
    },
  );
});
