/**
 * The preset `ratio-chain`, as in its document: above a share of the window, everything but the newest messages is
 * folded into a structured record, records are linked into a short chain, and a failure changes nothing. Every summary
 * is requested over a real socket.
 */

import { createOpenAI } from "@ai-sdk/openai";
import { describe, expect, test } from "vitest";
import { onDocumentEvents } from "../../src/compat/documents/document-events.ts";
import { openPalimpsest } from "../../src/compose.ts";
import type { SummaryEntry } from "../../src/core/log/entry.ts";
import type { Provider } from "../../src/core/prompt/provider.ts";
import { validate } from "../../src/core/prompt/validate/validate.ts";
import { countText } from "../../src/core/tokens/count-text.ts";
import { loadCounter } from "../../src/counters/load-counter.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { SummaryRequest } from "../../src/ports/summarizer.ts";
import { emptyOrigin } from "../../src/summarizers/guard-summarizer.ts";
import { messageBuilder } from "../../src/testing/builders.ts";
import { shows } from "../../src/testing/shows.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies as replies } from "../support/scripted-provider-reply.ts";
import {
  askedOf,
  lastBody,
  linesOf,
  type Play,
  type PlayOptions,
  playPreset,
  SMALL_MODELS,
  wordsOf,
} from "./play-preset.ts";

const WINDOW_TOKENS = 2_000;
const PROSE = "the quick brown fox jumps over the lazy dog and goes on its way ";
/** About fourteen tokens per repetition. */
const prose = (times: number): string => PROSE.repeat(times);

/** Sentences about the same animals, all of them different. */
const varied = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `The ${"very ".repeat(index % 7)}quick fox met dog ${String.fromCharCode(97 + (index % 26))} then.`,
  ).join(" ");

/** An answer of a model: its own narrative, and the lists. */
const answer = (summary: string, context: object = {}) =>
  replies.json({
    summary,
    keyPoints: ["the fox jumps"],
    context: { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [], ...context },
  });
const NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven"];
const numbered = (_: unknown, index: number) => answer(`Summary ${NAMES[index]}. Tell of the fox.`);

/** `keys` are the document's own. */
const play = (options: Partial<PlayOptions> & { readonly keys?: object } = {}): Promise<Play> => {
  const { keys, ...rest } = options;
  return playPreset({
    budgetTokens: WINDOW_TOKENS,
    counter: "estimate",
    script: numbered,
    policy: { preset: "ratio-chain", ...keys },
    ...rest,
  });
};

/** Appends numbered messages of user and assistant alternately, each of about a hundred tokens by default. */
async function talk(session: Session, count: number, { from = 0, times = 7 } = {}): Promise<void> {
  for (let index = from; index < from + count; index += 1) {
    // Every summary contains this goal, so code adds nothing to it.
    const text = index === 0 ? "Tell of the fox." : `Message ${index}.`;
    await session.append({
      id: `m${index}`,
      role: index % 2 === 0 ? "user" : "assistant",
      content: `${text}\n${prose(times)}`,
    });
  }
}

const PROVIDERS: readonly Provider[] = ["openai", "openai-responses", "anthropic", "gemini"];

function expectValid(prompt: Prompt): void {
  for (const provider of PROVIDERS) expect(validate(prompt.as(provider), provider)).toEqual([]);
}

const recordsOf = async ({ session }: Play) => (await session.getSummaryHistory()).map(({ record }) => record);
const suppressedOf = ({ report }: Prompt) => report.plan.need?.suppressed.map(({ why }) => why) ?? [];
/** Returns the numbers of the messages that a prompt shows. */
const shownIn = (prompt: Prompt): readonly number[] =>
  linesOf(prompt).flatMap((line) => (/Message (\d+)\./u.exec(line)?.slice(1) ?? []).map(Number));
const storedOf = async (stage: Play) => (await stage.entries()).filter(({ type }) => type !== "request");

describe("the trigger", () => {
  test(
    shows(["S4-1", "S4-7", "S4-36", "S4-66"], "fires at 0.8 of the window, once, and not one token earlier"),
    async () => {
      await using probe = await play({ budgetTokens: 100_000 });
      await talk(probe.session, 16);
      const { tokens } = (await probe.session.prompt()).report;
      const atTrigger = Math.floor(tokens / 0.8);
      const asked = await Promise.all(
        [atTrigger + 1, atTrigger].map(async (budgetTokens) => {
          await using stage = await play({ budgetTokens });
          await talk(stage.session, 16);
          const first = await stage.session.prompt();
          await stage.session.prompt();
          return [stage.provider.requests.length, first.report.compactions.length];
        }),
      );
      expect(asked).toEqual([
        [0, 0],
        [1, 1],
      ]);
    },
  );

  test(shows(["S4-9", "S4-34"], "is held below twelve messages, and the plan gives the reason"), async () => {
    await using stage = await play();
    await talk(stage.session, 11, { times: 10 });
    const held = await stage.session.prompt();
    expect(suppressedOf(held)).toEqual([expect.stringContaining("the view has 11 messages, fewer than 12")]);
    expect(stage.provider.requests).toHaveLength(0);
    await talk(stage.session, 1, { from: 11, times: 1 });
    await stage.session.prompt();
    expect(stage.provider.requests).toHaveLength(1);
  });

  test(
    shows(
      ["S4-14", "S4-17", "S4-35", "S4-44", "S4-67"],
      "waits for four messages after a replacement, not counting the tail",
    ),
    async () => {
      await using stage = await play({ keys: { minMessages: 0 } });
      await talk(stage.session, 16);
      await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(1);
      await talk(stage.session, 3, { from: 16, times: 24 });
      const held = await stage.session.prompt();
      expect(held.report.meter.shareOfWindow).toBeGreaterThanOrEqual(0.8);
      expect(suppressedOf(held)).toEqual([expect.stringContaining("only 3 of 4 messages arrived")]);
      expect(stage.provider.requests).toHaveLength(1);
      await talk(stage.session, 1, { from: 19, times: 1 });
      await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(2);
    },
  );

  test(shows(["S4-41", "S4-73"], "fires once for a long burst of messages"), async () => {
    await using stage = await play();
    await talk(stage.session, 14);
    for (let index = 14; index < 19; index += 1) {
      await talk(stage.session, 1, { from: index });
      await stage.session.prompt();
    }
    expect(stage.provider.requests).toHaveLength(1);
    expect(await recordsOf(stage)).toHaveLength(1);
  });

  test(
    shows("S4-12", "with forceRefreshAfterMessages fires by message count, and its guards still apply"),
    async () => {
      await using stage = await play({ budgetTokens: 50_000, keys: { forceRefreshAfterMessages: 14 } });
      await talk(stage.session, 13);
      await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(0);
      await talk(stage.session, 1, { from: 13 });
      await stage.session.prompt();
      expect(stage.eventsOf("compaction-start")).toMatchObject([{ triggers: ["refresh"] }]);
      await talk(stage.session, 13, { from: 14 });
      await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(1);
    },
  );

  test(
    shows(["S4-6", "S4-32"], "calls no summarizer and writes nothing when it is turned off, and the prompt still fits"),
    async () => {
      await using stage = await play({ keys: { enabled: false } });
      await talk(stage.session, 30);
      const stored = await storedOf(stage);
      const prompt = await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(0);
      expect(prompt.report.tokens).toBeLessThanOrEqual(WINDOW_TOKENS);
      expect(await storedOf(stage)).toEqual(stored);
    },
  );

  test(shows(["X-10", "S4-88"], "can be set differently for one model"), async () => {
    const keys = { models: { "gpt-4.1-nano": { triggerTokenRatio: 0.95 } } };
    await using stage = await play({ keys });
    await talk(stage.session, 17);
    const size = { windowTokens: WINDOW_TOKENS, reserveTokens: 0, counter: "estimate" };
    const patient = await stage.session.prompt({ ...size, model: "gpt-4.1-nano" });
    expect(patient.report.meter.shareOfWindow).toBeGreaterThanOrEqual(0.8);
    expect(stage.provider.requests).toHaveLength(0);
    await stage.session.prompt({ ...size, model: "gpt-4.1-mini" });
    expect(stage.provider.requests).toHaveLength(1);
  });

  test(
    shows("S4-7", "measures the window by the model's input limit, and reserves only what the caller sets"),
    async () => {
      const models = { wide: { windowTokens: 4_000, maxInputTokens: 3_000 } };
      const sizes = async (size: object, policy: object = {}) => {
        await using stage = await play({ budgetTokens: undefined, windowTokens: undefined, models, keys: policy });
        await talk(stage.session, 2);
        const { report } = await stage.session.prompt({ counter: "estimate", ...size });
        return [report.windowTokens, report.reserveTokens, report.limitTokens];
      };
      expect(await sizes({ windowTokens: 4_000 })).toEqual([4_000, 0, 4_000]);
      expect(await sizes({ model: "wide" })).toEqual([3_000, 0, 3_000]);
      expect(await sizes({ windowTokens: 4_000, reserveTokens: 500 })).toEqual([4_000, 500, 3_500]);
      expect(await sizes({ windowTokens: 4_000 }, { reserve: "reply" })).toEqual([4_000, 800, 3_200]);
    },
  );

  test(shows("S4-27", "counts with the model's own tokenizer, or by an estimate if there is none"), async () => {
    await using stage = await play({ counter: undefined });
    await talk(stage.session, 2);
    const known = await stage.session.prompt({ model: "gpt-4.1-mini" });
    const unknown = await stage.session.prompt({ model: "nobody-knows-this-model", windowTokens: WINDOW_TOKENS });
    expect(known.report.counter.exact).toBe(true);
    expect(unknown.report.counter.exact).toBe(false);
    expect(unknown.report.tokens).toBeGreaterThan(100);
  });
});

describe("the replacement", () => {
  test(
    shows(
      ["S4-37", "S4-39", "S4-10", "S4-19", "S4-59"],
      "is a summary as a system message and the last six messages verbatim",
    ),
    async () => {
      await using stage = await play();
      await talk(stage.session, 16);
      const before = await stage.session.prompt({ preview: true });
      const prompt = await stage.session.prompt();
      expect(shownIn(prompt)).toEqual([10, 11, 12, 13, 14, 15]);
      expect(prompt.messages.slice(-6)).toEqual(before.messages.slice(-6));
      expect(wordsOf(prompt.as("openai") as never)).toContain("summary-depth:0\nSummary zero. Tell of the fox.");
      const { lastSummarization } = await stage.session.compactionStatus();
      expect(lastSummarization).toEqual({ depth: 0, messageCount: 7, tokenRatio: before.report.meter.shareOfWindow });
      expect((await recordsOf(stage)).map(({ messageIds }) => messageIds)).toEqual([
        Array.from({ length: 10 }, (_, index) => `m${index}`),
      ]);
      expectValid(prompt);
    },
  );

  test(
    shows(["S4-58"], "has the tag with its depth, at the place where each provider expects system text"),
    async () => {
      await using stage = await play();
      await talk(stage.session, 16);
      const prompt = await stage.session.prompt();
      expect(JSON.stringify(prompt.as("anthropic").system)).toContain("summary-depth:0");
      expect(JSON.stringify(prompt.as("gemini").systemInstruction)).toContain("summary-depth:0");
      expect(prompt.as("openai").messages[0]).toMatchObject({ role: "system" });
    },
  );

  test(
    shows(
      ["S4-60", "S4-20", "S4-65", "S4-4"],
      "folds the previous summary and the earlier tail, one level deeper, with its parent's id",
    ),
    async () => {
      await using stage = await play();
      await talk(stage.session, 16);
      await stage.session.prompt();
      await talk(stage.session, 9, { from: 16 });
      const prompt = await stage.session.prompt();
      const [first, second] = await recordsOf(stage);
      expect([first?.depth, first?.parentId]).toEqual([0, undefined]);
      expect([second?.depth, second?.parentId]).toEqual([1, first?.id]);
      expect(second?.messageIds).toEqual(Array.from({ length: 9 }, (_, index) => `m${index + 10}`));
      expect(second?.coverage.count).toBe(19);
      const asked = askedOf(stage.provider)[1] ?? "";
      expect(asked).toMatch(/Previous summary: .*Summary zero\./su);
      expect(asked).toContain("Message 10.");
      expect(asked).not.toContain("Message 19.");
      expect(shownIn(prompt)).toEqual([19, 20, 21, 22, 23, 24]);
      expect(wordsOf(prompt.as("openai") as never)).toContain("summary-depth:1\nSummary one.");
    },
  );

  test(
    shows("S4-23", "leaves a chat with its title, its summaries in order, and the newly summarized messages"),
    async () => {
      await using stage = await play();
      const { session } = stage;
      await session.rename("The fox");
      await talk(session, 16);
      await session.prompt();
      await talk(session, 9, { from: 16 });
      const prompt = await session.prompt();
      const { header } = (await stage.store.tenant("local").findSession(session.id)) ?? {};
      expect(header).toMatchObject({ id: session.id, title: "The fox" });
      const records = await recordsOf(stage);
      expect(records.map(({ depth }) => depth)).toEqual([0, 1]);
      expect((records[1]?.at ?? 0) >= (records[0]?.at ?? Number.POSITIVE_INFINITY)).toBe(true);
      expect(shownIn(prompt)).toEqual([19, 20, 21, 22, 23, 24]);
      expect((await session.compactionStatus()).lastSummarization).toMatchObject({ depth: 1 });
    },
  );

  test(shows(["S4-3", "S4-76"], "needs one call of a summarizer"), async () => {
    await using stage = await play();
    await talk(stage.session, 16);
    await stage.session.prompt();
    expect(stage.eventsOf("summary")).toMatchObject([{ outcome: "accepted", calls: 1, strategy: "structured" }]);
    expect(stage.provider.requests).toHaveLength(1);
  });
});

describe("the request", () => {
  test(
    shows(["S4-28", "S4-29", "S4-46"], "reports the number of messages and tokens and the depth of the chain"),
    async () => {
      await using stage = await play();
      await talk(stage.session, 16);
      await stage.session.prompt();
      await talk(stage.session, 9, { from: 16 });
      await stage.session.prompt();
      const [first = "", second = ""] = askedOf(stage.provider);
      expect(first).toMatch(/<meta total_messages=10 total_tokens=\d+ depth=0 \/>/u);
      expect(second).toMatch(/<meta total_messages=19 total_tokens=\d+ depth=1 \/>/u);
      expect(JSON.stringify(lastBody(stage.provider).response_format)).toContain("json_schema");
      expect(lastBody(stage.provider)).toMatchObject({ temperature: 0 });
    },
  );

  test(shows(["S4-87", "S4-26"], "shows the first 200 characters of long tool output, and no thinking"), async () => {
    await using stage = await play({ keys: { minMessages: 2 } });
    const { aUserMessage, anAssistantMessage, aRound } = messageBuilder(() => crypto.randomUUID());
    const thought = anAssistantMessage("", { parts: [{ type: "reasoning", text: "I ponder." }] });
    const long = aRound([{ callId: "long", output: `${"x".repeat(200)}y${"z ".repeat(1_200)}` }]);
    const silent = aRound([{ callId: "silent", tool: "touch", output: "" }]);
    await stage.session.append([aUserMessage("Tell of the fox."), thought, ...long, ...silent], {
      format: "palimpsest",
    });
    await talk(stage.session, 8, { from: 1, times: 4 });
    await stage.session.prompt();
    const [asked = ""] = askedOf(stage.provider);
    expect(asked).toContain(`${"x".repeat(200)}\n`);
    expect(asked).not.toContain("xy");
    expect(asked).toContain("cut here: 200 of 2601 characters");
    expect(asked).not.toContain("I ponder.");
    expect((await recordsOf(stage))[0]?.cutResults).toBe(1);
  });

  test(shows("S4-13", "goes to the first preferred model that is available"), async () => {
    const summarizer = (url: string) => {
      const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: "test-key" });
      return ["gpt-4.1-nano", "gpt-4.1-mini", "gpt-4.1"].map((id) => openai.chat(id));
    };
    await using stage = await play({ summarizer, keys: { summarizerModelPreference: ["not-here", "gpt-4.1"] } });
    await talk(stage.session, 16);
    await stage.session.prompt();
    expect(lastBody(stage.provider).model).toBe("gpt-4.1");
    expect((await recordsOf(stage))[0]?.model).toBe("gpt-4.1");
  });

  test("requests a structured record even if the conversation's own prompt would be cheaper", async () => {
    const models = { "gpt-4.1-mini": { startFactor: 1 } };
    const size = { windowTokens: WINDOW_TOKENS, reserveTokens: 0 };
    await using stage = await play({ budgetTokens: undefined, ...size, model: "gpt-4.1-mini", models });
    await talk(stage.session, 14);
    await stage.session.prompt();
    await talk(stage.session, 3, { from: 14 });
    await stage.session.prompt();
    expect(stage.eventsOf("summary")).toMatchObject([{ strategy: "structured" }]);
    expect((await recordsOf(stage))[0]?.keyPoints).toEqual(["the fox jumps"]);
  });

  test(
    shows(
      ["S4-24", "S4-25"],
      "is one asynchronous call with messages, sizes and the earlier summary; it returns ok or a reason",
    ),
    async () => {
      const asked: SummaryRequest[] = [];
      const origin = { ...emptyOrigin("own"), model: "own", request: "transcript" as const };
      let kind: "transport" | "validation" | undefined;
      const summarizer = {
        name: "own",
        estimateCost: () => 0,
        summarize: async (request: SummaryRequest) => {
          asked.push(request);
          if (kind !== undefined) return { type: "failed", kind, reason: "the line is dead", origin } as const;
          return { type: "summary", text: "Tell of the fox.", keyPoints: [], origin } as const;
        },
      };
      await using stage = await play({ summarizer: () => summarizer });
      await talk(stage.session, 16);
      expect(await stage.session.compact()).toMatchObject({ type: "compacted" });
      expect(asked[0]?.stretch.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, index) => `m${index}`));
      expect(asked[0]?.previous).toBeUndefined();
      for (const failure of ["transport", "validation"] as const) {
        kind = failure;
        await talk(stage.session, 2, { from: failure === "transport" ? 16 : 18 });
        const outcome = await stage.session.compact();
        expect(outcome).toMatchObject({ type: "nothing-to-compact", attempts: [{ outcome: "failed", rule: failure }] });
      }
      expect(asked[1]?.previous).toMatchObject({ depth: 0, text: "Tell of the fox." });
    },
  );
});

describe("the record", () => {
  const CONTEXT = {
    participants: ["Ana"],
    decisions: ["use SQLite 3.45.1"],
    actionItems: [{ task: "send the invoices", owner: "Ana", due: null }],
    unresolved: ["who owns the backup?"],
    domainEntities: ["src/ledger.ts"],
  };

  async function recorded() {
    const stage = await play({
      script: () => answer("The ledger in src/ledger.ts uses SQLite 3.45.1. Tell of the fox.", CONTEXT),
    });
    await talk(stage.session, 1);
    const words =
      "We decided to use SQLite 3.45.1 in src/ledger.ts. Ana has to send the invoices. An open question is who owns the backup?";
    await stage.session.append({ id: "said", role: "user", content: `${words}\n${prose(7)}` });
    await talk(stage.session, 15, { from: 1 });
    return stage;
  }

  test(
    shows(["S4-2", "S4-21"], "keeps decisions, tasks, questions and names in addition to the narrative"),
    async () => {
      await using stage = await recorded();
      const prompt = await stage.session.prompt();
      const [record] = await recordsOf(stage);
      expect(record?.facets.participants).toContain("Ana");
      expect(record?.facets.decisions.join("\n")).toContain("use SQLite 3.45.1");
      expect(
        record?.facets.actionItems.some(({ task, status }) => task.includes("send the invoices") && status === "open"),
      ).toBe(true);
      expect(record?.facets.unresolved.join("\n")).toContain("who owns the backup");
      expect(record?.facets.entities).toContain("src/ledger.ts");
      const seen = wordsOf(prompt.as("openai") as never);
      for (const word of ["SQLite 3.45.1", "src/ledger.ts", "send the invoices"]) expect(seen).toContain(word);
    },
  );

  test(
    shows(
      ["S4-22", "S4-53"],
      "has a UUID, time, depth, text, key points, lists and ids, and none of the messages' text",
    ),
    async () => {
      await using stage = await play();
      await talk(stage.session, 16);
      await stage.session.prompt();
      const [record] = await recordsOf(stage);
      expect(record).toMatchObject({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        at: stage.clock.now(),
        depth: 0,
        text: "Summary zero. Tell of the fox.",
        keyPoints: ["the fox jumps"],
        messageIds: Array.from({ length: 10 }, (_, index) => `m${index}`),
        tokensAfter: expect.any(Number),
      });
      expect(record).not.toHaveProperty("parentId");
      expect(JSON.stringify(record)).not.toContain("Message 3.");
    },
  );

  test(
    shows(["S4-54", "X-8", "S4-79"], "has a hash of its input, by which it is found instead of being requested again"),
    async () => {
      await using stage = await play();
      await talk(stage.session, 16);
      await stage.session.prompt();
      const [record] = await recordsOf(stage);
      expect(record?.coverage.chainHash).toMatch(/^[0-9a-f]{64}$/u);
      await using other = await play();
      await talk(other.session, 16);
      await other.session.prompt();
      expect((await recordsOf(other))[0]?.coverage.chainHash).toBe(record?.coverage.chainHash);
      await stage.session.undo();
      expect(await stage.session.compact()).toMatchObject({ type: "compacted" });
      const again = (await recordsOf(stage)).at(-1);
      expect(again?.text).toBe(record?.text);
      expect(again?.id).not.toBe(record?.id);
      expect(stage.provider.requests).toHaveLength(1);
    },
  );

  test(shows(["X-11", "S4-89", "S4-4"], "can be expanded: the covered messages are still there verbatim"), async () => {
    await using stage = await play();
    await talk(stage.session, 16);
    const appended = await stage.session.history();
    await stage.session.prompt();
    const [record] = await recordsOf(stage);
    const expanded = await stage.session.expand(record?.id ?? "");
    expect(expanded.messages).toEqual(appended.slice(0, 10));
    expect(expanded.erasedIds).toEqual([]);
  });

  test(shows("X-3", "can be rewritten with instructions, even if the trigger is turned off"), async () => {
    await using stage = await play();
    await talk(stage.session, 16);
    await stage.session.prompt();
    const { store, provider } = stage;
    const policy = { preset: "ratio-chain", enabled: false } as const;
    const size = { counter: "estimate", budgetTokens: WINDOW_TOKENS };
    const off = await openPalimpsest({ ...size, store, policy, summarizer: SMALL_MODELS.openai(provider.url) });
    const session = await off.session(stage.session.id);
    const outcome = await session.resummarize("Say more of the dog.");
    expect(outcome).toMatchObject({ type: "compacted" });
    expect(askedOf(stage.provider)[1]).toContain("Say more of the dog.");
    const history = await session.getSummaryHistory();
    expect(history.map(({ record, isLive }) => [record.depth, record.text, isLive])).toEqual([
      [0, "Summary zero. Tell of the fox.", false],
      [0, "Summary one. Tell of the fox.", true],
    ]);
  });
});

describe("a prompt still above its trigger after a replacement", () => {
  /** Ten small messages, then six that nearly reach the trigger alone. */
  async function heavyTail(stage: Play, from = 0): Promise<void> {
    await talk(stage.session, 10, { from, times: 1 });
    await talk(stage.session, 6, { from: from + 10, times: 18 });
  }
  const long = (word: string) => answer(`Summary ${word}. Tell of the fox. ${varied(12)}`);

  test(
    shows(
      ["S4-42", "S4-95"],
      "the summary itself is folded once more, one level deeper, with a second call and no third",
    ),
    async () => {
      await using stage = await play({ script: (_, index) => (index === 0 ? long("zero") : numbered(_, index)) });
      await heavyTail(stage);
      const prompt = await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(2);
      const records = await recordsOf(stage);
      expect(records.map(({ depth, parentId }) => [depth, parentId])).toEqual([
        [0, undefined],
        [1, records[0]?.id],
      ]);
      expect(askedOf(stage.provider)[1]).toMatch(/Previous summary: .*Summary zero\./su);
      expect(shownIn(prompt)).toEqual([10, 11, 12, 13, 14, 15]);
      expect(prompt.report.compactions).toHaveLength(2);
    },
  );

  test("a summary that is folded again has one heading and one end marker, not two", async () => {
    const script = (_: unknown, index: number) => (index === 0 ? long("zero") : numbered(_, index));
    await using stage = await play({ script, keys: { summary: { renderer: { type: "data" } } } });
    await heavyTail(stage);
    const prompt = await stage.session.prompt();
    expect((await recordsOf(stage)).map(({ depth }) => depth)).toEqual([0, 1]);
    const cover = JSON.stringify(prompt.messages[0]?.content);
    expect(cover.match(/\[Summary of the 10 earlier messages\]/g)).toHaveLength(1);
    expect(cover.match(/\[End of the summary\]/g)).toHaveLength(1);
  });

  test(
    shows(["S4-43", "S4-95", "S4-18"], "the tail is shortened once, in the last record, if the chain may not grow"),
    async () => {
      await using stage = await play({ keys: { maxSummaryChainDepth: 1 } });
      await heavyTail(stage);
      const prompt = await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(2);
      expect((await recordsOf(stage)).map(({ depth }) => depth)).toEqual([0, 0]);
      // The last two requests stay word for word in addition to the tail.
      expect(shownIn(prompt)).toEqual([12, 13, 14, 15]);
      expect((await recordsOf(stage)).at(-1)?.messageIds).toEqual(["m10", "m11", "m12"]);
    },
  );

  test(shows("S4-43", "the tail never gets shorter than two messages"), async () => {
    await using stage = await play({ keys: { maxSummaryChainDepth: 1, preserveRecent: 3 } });
    await talk(stage.session, 13, { times: 1 });
    await talk(stage.session, 3, { from: 13, times: 38 });
    const prompt = await stage.session.prompt();
    expect(stage.provider.requests).toHaveLength(2);
    expect(shownIn(prompt)).toEqual([12, 14, 15]);
    expect((await recordsOf(stage)).at(-1)?.messageIds).toEqual(["m13"]);
  });
});

describe("the depth of the chain", () => {
  /** Runs turns with a prompt each, until there are `count` messages. */
  async function chat(stage: Play, count: number): Promise<readonly Prompt[]> {
    const prompts: Prompt[] = [];
    for (let index = 0; index < count; index += 2) {
      await talk(stage.session, 1, { from: index });
      const prompt = await stage.session.prompt();
      prompts.push(prompt);
      expect(prompt.report.tokens).toBeLessThanOrEqual(WINDOW_TOKENS);
      expectValid(prompt);
      await talk(stage.session, 1, { from: index + 1 });
    }
    return prompts;
  }

  test(
    shows(
      ["S4-11", "S4-68", "S4-95", "S4-1"],
      "ends at three records in a window of 2K; then the oldest messages are hidden without a summary",
    ),
    async () => {
      await using stage = await play();
      const received: string[] = [];
      onDocumentEvents(stage.palimpsest, "ratio-chain", (...[name]) => void received.push(name));
      const prompts = await chat(stage, 90);
      const records = await recordsOf(stage);
      expect(records.map(({ depth }) => depth)).toEqual([0, 1, 2]);
      expect(records.map(({ parentId }) => parentId)).toEqual([undefined, records[0]?.id, records[1]?.id]);
      expect(stage.provider.requests).toHaveLength(3);
      const silent = stage.eventsOf("compaction").filter(({ record }) => record === undefined);
      expect(silent.length).toBeGreaterThan(0);
      for (const { steps } of silent) expect(steps).toEqual(["truncate"]);
      expect(received.filter((name) => name === "summarization")).toHaveLength(3);
      expect(prompts.flatMap(suppressedOf).join("\n")).toContain("the chain has 3 of 3 summaries");
      const last = prompts.at(-1);
      expect(wordsOf(last?.as("openai") as never)).toContain("Summary two.");
    },
  );

  test(shows(["S4-69", "X-14"], "stays at its maximum when a prompt overflows a window with a reserve"), async () => {
    await using stage = await play({ budgetTokens: undefined, windowTokens: 2_500, reserveTokens: 500 });
    await chat(stage, 90);
    expect((await recordsOf(stage)).map(({ depth }) => depth)).toEqual([0, 1, 2]);
  });

  test(shows("X-14", "stays at its maximum with `fold`: each new summary replaces the last one"), async () => {
    const guards = { minMessages: 12, cooldownMessages: 4, maxSummaryChainDepth: 3, onDepthCap: "fold" };
    const triggers = [{ type: "ratio", of: "window", triggerRatio: 0.8, resetRatio: 0.7, ...guards }];
    await using stage = await play({ keys: { triggers } });
    const prompts = await chat(stage, 70);
    const depths = (await recordsOf(stage)).map(({ depth }) => depth);
    expect(depths.slice(0, 3)).toEqual([0, 1, 2]);
    expect(depths.length).toBeGreaterThan(4);
    expect(new Set(depths.slice(3))).toEqual(new Set([2]));
    for (const { report } of prompts) expect(report.compaction?.steps ?? []).not.toContain("truncate");
  });

  test(
    shows("X-14", "stays at its maximum with `truncate`: the oldest messages are hidden at the trigger"),
    async () => {
      const guards = { minMessages: 12, cooldownMessages: 4, maxSummaryChainDepth: 1, onDepthCap: "truncate" };
      const triggers = [{ type: "ratio", of: "window", triggerRatio: 0.8, resetRatio: 0.7, ...guards }];
      await using stage = await play({ keys: { triggers } });
      await chat(stage, 50);
      expect((await recordsOf(stage)).map(({ depth }) => depth)).toEqual([0]);
      const silent = stage.eventsOf("compaction").filter(({ record }) => record === undefined);
      expect(silent.length).toBeGreaterThan(0);
      expect(silent.some(({ ratio }) => ratio < 1)).toBe(true);
    },
  );

  test(shows("X-25", "may be one: the first record is the last, and the conversation continues"), async () => {
    await using stage = await play({ keys: { maxSummaryChainDepth: 1 } });
    await chat(stage, 60);
    expect((await recordsOf(stage)).map(({ depth }) => depth)).toEqual([0]);
    expect(stage.provider.requests).toHaveLength(1);
  });

  test(shows(["S4-40", "S4-69"], "an emergency ignores the cooldown and the minimum"), async () => {
    await using stage = await play();
    await talk(stage.session, 16);
    await stage.session.prompt();
    await talk(stage.session, 2, { from: 16, times: 48 });
    const prompt = await stage.session.prompt();
    expect(prompt.report.tokens).toBeLessThanOrEqual(WINDOW_TOKENS);
    expect((await recordsOf(stage)).map(({ depth }) => depth)).toEqual([0, 1]);
    expect(stage.eventsOf("compaction-start")[1]).toMatchObject({ need: "hard" });
  });
});

describe("a model that writes its own summaries", () => {
  /** Opens a session with a model whose provider enforces its window for the prompt and the longest answer together. */
  async function playOwn(windowTokens: number, named: "for the engine" | "in the model's entry") {
    const counter = await loadCounter("o200k");
    const sizes: number[] = [];
    const provider = await startScriptedProvider(({ body }) => {
      const { messages, response_format: format, max_tokens: longest = 0 } = body;
      const texts = [wordsOf(messages), JSON.stringify(format ?? "")];
      const tokens = texts.reduce((sum, text) => sum + countText(text, counter), Number(longest));
      sizes.push(tokens);
      if (tokens > windowTokens) return replies.overflow();
      // The longest allowed answer, in words of its input.
      const sentences = [...wordsOf(messages).matchAll(/Message \d+ decides[^.]*\.ts/gu)].map(
        ([sentence]) => `${sentence}.`,
      );
      return answer(`Tell of the ledger. ${sentences.slice(-6).join(" ")}`, { decisions: sentences.slice(-3) });
    });
    const model = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "test-key" }).chat("house-model");
    const size = named === "for the engine" ? { windowTokens } : { models: { "house-model": { windowTokens } } };
    const palimpsest = await openPalimpsest({ policy: "ratio-chain", model, ...size });
    const session = await palimpsest.session();
    return { provider, palimpsest, session, sizes };
  }

  test.each(
    [2_000, 2_048, 3_000, 3_072, 4_000, 4_096].flatMap((windowTokens) => [
      [windowTokens, "for the engine"] as const,
      [windowTokens, "in the model's entry"] as const,
    ]),
  )(
    shows(
      ["X-30", "S4-74", "S4-47", "S4-78"],
      "in a window of %d tokens, set %s, writes a chain of three, and its provider refuses no request",
    ),
    async (windowTokens, named) => {
      const { provider, palimpsest, session, sizes } = await playOwn(windowTokens, named);
      const tell = (index: number) =>
        `Message ${index} decides that src/part-${index}.ts keeps version ${index}.${index + 1}. ${prose(6)}`;
      for (let index = 0; index < 120; index += 2) {
        const prompt = await session.prompt({ next: { role: "user", content: tell(index) } });
        expect(prompt.report.tokens).toBeLessThanOrEqual(windowTokens);
        await session.append({ role: "assistant", content: tell(index + 1) }, { promptId: prompt.id });
      }
      const history = await session.getSummaryHistory();
      expect(history.map(({ record }) => [record.depth, record.model])).toEqual([
        [0, "house-model"],
        [1, "house-model"],
        [2, "house-model"],
      ]);
      expect(sizes).toHaveLength(3);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(windowTokens);
      await palimpsest.close();
      await provider.close();
    },
  );
});

describe("an emergency", () => {
  test(shows(["S4-37", "S4-59"], "keeps the last six messages if they fit with a summary of any size"), async () => {
    await using stage = await play();
    await talk(stage.session, 10);
    await talk(stage.session, 6, { from: 10, times: 19 });
    const prompt = await stage.session.prompt();
    expect(stage.eventsOf("compaction-start")[0]).toMatchObject({ need: "hard" });
    expect(shownIn(prompt)).toEqual([10, 11, 12, 13, 14, 15]);
    expect(prompt.report.tokens).toBeLessThanOrEqual(WINDOW_TOKENS);
    expect(stage.eventsOf("compaction")[0]?.steps).toEqual(["summarise"]);
  });

  test("accepts no summary if there is no room for one", async () => {
    await using stage = await play({ script: () => answer(`Tell of the fox. ${varied(42)}`) });
    await talk(stage.session, 10);
    await talk(stage.session, 6, { from: 10, times: 20 });
    const prompt = await stage.session.prompt();
    expect(stage.eventsOf("summary")).toMatchObject([{ outcome: "rejected", rule: "too-large" }]);
    expect(prompt.report.tokens).toBeLessThanOrEqual(WINDOW_TOKENS);
    expect(prompt.report.compaction).toMatchObject({ isRecorded: false });
  });
});

describe("one message that is far too long", () => {
  test(shows(["S4-72", "S4-1"], "is cut in the prompt and whole in the log, without a summarizer call"), async () => {
    await using stage = await play();
    const text = `First words. ${prose(400)} Last words.`;
    await stage.session.append({ id: "huge", role: "user", content: text });
    const prompt = await stage.session.prompt();
    expect(stage.provider.requests).toHaveLength(0);
    expect(prompt.report.tokens).toBeLessThanOrEqual(WINDOW_TOKENS);
    const [line = ""] = linesOf(prompt);
    expect(line).toContain("First words.");
    expect(line).toContain("Last words.");
    expect((await stage.session.message("huge")).parts).toEqual([{ type: "text", text }]);
  });
});

describe("a failure", () => {
  test(
    shows(["S4-38", "S4-52", "S4-70", "S4-49"], "of the transport leaves every message in place, and is reported"),
    async () => {
      await using stage = await play({ script: () => replies.serverError() });
      await talk(stage.session, 16);
      const stored = await storedOf(stage);
      const before = await stage.session.prompt({ preview: true });
      const prompt = await stage.session.prompt();
      expect(prompt.messages).toEqual(before.messages);
      expect(await storedOf(stage)).toEqual(stored);
      expect(stage.eventsOf("summary")).toMatchObject([{ outcome: "failed", rule: "transport", calls: 2 }]);
      expect(stage.eventsOf("compaction-end")).toMatchObject([
        { outcome: "failed", attempts: [{ rule: "transport" }] },
      ]);
      expect(stage.eventsOf("compaction")).toEqual([]);
    },
  );

  test(shows(["S4-50", "S4-63"], "of the transport is retried once, after 250 ms"), async () => {
    await using stage = await play({ script: (_, index) => (index === 0 ? replies.serverError() : numbered(_, 0)) });
    await talk(stage.session, 16);
    const startedAt = performance.now();
    await stage.session.prompt();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(240);
    expect(stage.eventsOf("summary")).toMatchObject([{ outcome: "accepted", calls: 2 }]);
    expect(await recordsOf(stage)).toHaveLength(1);
  });

  test(
    shows(
      ["S4-51", "S4-49", "S4-64"],
      "of validation is not retried, and the first 200 characters are kept without secrets",
    ),
    async () => {
      const secret = `ghp_${"a1B2c3".repeat(6)}`;
      const raw = `\u0007Sure, the key is ${secret} and ${"words ".repeat(100)}`;
      await using stage = await play({ script: () => replies.text(raw) });
      await talk(stage.session, 16);
      const stored = await storedOf(stage);
      await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(1);
      const [attempt] = stage.eventsOf("summary");
      expect(attempt).toMatchObject({ outcome: "failed", rule: "validation", calls: 1 });
      expect(attempt?.rawStart?.length).toBeLessThanOrEqual(200);
      expect(attempt?.rawStart).toContain("Sure, the key is [secret:");
      expect(attempt?.rawStart).not.toMatch(/\p{Cc}/u);
      expect(attempt?.rawStart).not.toContain(secret);
      expect(await storedOf(stage)).toEqual(stored);
    },
  );

  test(shows(["S4-15", "S4-38"], "is thrown if the policy aborts, and nothing has changed"), async () => {
    await using stage = await play({ script: () => replies.serverError(), keys: { abortOnFailure: true } });
    await talk(stage.session, 16);
    const stored = await storedOf(stage);
    await expect(stage.session.prompt()).rejects.toMatchObject({ code: "summarizer-failed" });
    expect(await stage.entries()).toEqual(stored);
  });

  test(
    shows(["S4-52", "S4-70"], "in an emergency makes this prompt smaller and leaves the log unchanged"),
    async () => {
      await using stage = await play({ script: () => replies.text("no JSON") });
      await talk(stage.session, 24);
      const stored = await storedOf(stage);
      const prompt = await stage.session.prompt();
      expect(prompt.report.tokens).toBeLessThanOrEqual(WINDOW_TOKENS);
      expect(prompt.report.compaction).toMatchObject({ isRecorded: false });
      expect(await storedOf(stage)).toEqual(stored);
      expectValid(prompt);
    },
  );

  test(shows("S4-30", "is also reported for an answer that is not smaller than its source messages"), async () => {
    await using stage = await play({ script: () => answer(prose(60)) });
    await talk(stage.session, 16);
    const stored = await storedOf(stage);
    await stage.session.prompt();
    expect(stage.eventsOf("summary")).toMatchObject([{ outcome: "rejected" }]);
    expect(stage.provider.requests).toHaveLength(1);
    expect(await storedOf(stage)).toEqual(stored);
  });
});

describe("the events", () => {
  test(
    shows(
      ["S4-80", "S4-81"],
      "have one entry for each summary: reason, depth, messages, the ratio before and the estimate after",
    ),
    async () => {
      await using stage = await play();
      await talk(stage.session, 16);
      const before = await stage.session.prompt({ preview: true });
      const { report } = await stage.session.prompt();
      expect(stage.eventsOf("compaction")).toHaveLength(1);
      expect(stage.eventsOf("compaction")[0]).toMatchObject({
        reason: `${before.report.tokens} tokens of a window of 2000 is a ratio of ${(before.report.tokens / 2_000).toFixed(3)}, at or above the trigger ratio of 0.8`,
        record: { depth: 0 },
        compressedMessages: 10,
        tokensBefore: before.report.tokens,
        ratio: before.report.tokens / 2_000,
        tokensAfter: report.tokens,
      });
    },
  );

  test(shows("S4-82", "have the outcome and the duration of each attempt"), async () => {
    const script = (_: unknown, index: number) => (index === 0 ? replies.text("no JSON") : numbered(_, index));
    await using stage = await play({ script });
    await talk(stage.session, 16);
    await stage.session.prompt();
    await stage.session.prompt();
    const attempts = stage.eventsOf("summary");
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["failed", "accepted"]);
    for (const { durationMs } of attempts) expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(attempts.filter(({ outcome }) => outcome === "accepted").length / attempts.length).toBe(0.5);
  });

  test(shows("S4-4", "are followed by a summary in the log, and an undo restores every message"), async () => {
    await using stage = await play();
    await talk(stage.session, 16);
    const before = await stage.session.prompt({ preview: true });
    await stage.session.prompt();
    const summaries = (await stage.entries()).filter((entry): entry is SummaryEntry => entry.type === "summary");
    expect(summaries.map(({ record }) => record.depth)).toEqual([0]);
    await stage.session.undo();
    expect((await stage.session.prompt({ preview: true })).messages).toEqual(before.messages);
  });
});
