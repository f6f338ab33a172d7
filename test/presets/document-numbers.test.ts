/**
 * Numbers, limits and formats of the documents, from the host's side: engines with a preset, requests to the small
 * model over a real socket, and the resulting sessions.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { CONFIG_SCHEMA, openPalimpsest, type Prompt, type Session } from "../../src/index.ts";
import { shows } from "../../src/testing/shows.ts";
import { runCommand } from "../support/run-command.ts";
import { scriptedReplies as replies, type ScriptedReply } from "../support/scripted-provider-reply.ts";
import { askedOf, linesOf, type Play, type PlayOptions, playPreset, previewPrompt } from "./play-preset.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-numbers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROSE = "the quick brown fox jumps over the lazy dog and goes on its way ";

/** Appends numbered user and assistant messages in one call; each has about fourteen tokens per repetition. */
async function talk(session: Session, count: number, { from = 0, times = 7 } = {}): Promise<void> {
  await session.append(
    Array.from({ length: count }, (_, place) => ({
      id: `m${from + place}`,
      role: (from + place) % 2 === 0 ? "user" : "assistant",
      content: `Message ${from + place}. ${PROSE.repeat(times)}`,
    })),
  );
}

const numbersIn = (prompt: Prompt): readonly number[] =>
  linesOf(prompt).flatMap((line) => (/Message (\d+)\./u.exec(line)?.slice(1) ?? []).map(Number));
const suppressedOf = ({ report }: Prompt) => report.plan.need?.suppressed.map(({ why }) => why) ?? [];

describe("windowed-sql", () => {
  test.each([
    [undefined, 12],
    ["8", 8],
    ["010", 10],
  ])(shows("S1-5", "with MAX_CHAT_HISTORY %j keeps a window of %d messages"), async (value, size) => {
    const environment = value === undefined ? {} : { MAX_CHAT_HISTORY: value };
    await using play = await playPreset({ policy: "windowed-sql", environment });
    await talk(play.session, size, { times: 1 });
    expect((await play.session.prompt()).report.compactions).toEqual([]);
    await talk(play.session, 2, { from: size, times: 1 });
    expect((await play.session.prompt()).report.compactions).toHaveLength(1);
    expect(numbersIn(await previewPrompt(play.session))).toEqual(Array.from({ length: size }, (_, index) => index + 2));
  });
});

const SMALL = {
  preset: "workspace",
  compaction_trigger_tokens: 1_200,
  verbatim_window_tokens: 400,
  summary_budget_tokens: 120,
  pauseMs: 0,
} as const;
const NO_BOUNDARY = { boundary_index: null, boundary_reason: "one topic", confidence: 0.9, summary: "" };

function detectorScript(answer: ScriptedReply): NonNullable<PlayOptions["script"]> {
  return ({ body }) => (JSON.stringify(body).includes("boundary_index") ? answer : replies.text("The fox jumps."));
}

describe("workspace", () => {
  const play = (answer: ScriptedReply = replies.json(NO_BOUNDARY)) =>
    playPreset({ policy: SMALL, script: detectorScript(answer) });

  test(shows(["S3-54", "S3-131"], "is enabled by default, and has nothing to do in an empty session"), async () => {
    await using stage = await play();
    expect(await stage.session.compactionStatus()).toMatchObject({ enabled: true, currentTokens: 0, percent: 0 });
    await stage.session.settle();
    expect((await stage.session.compact()).type).toBe("nothing-to-compact");
    expect(stage.eventsOf("compaction")).toEqual([]);
    expect(stage.provider.requests).toEqual([]);
  });

  test(shows("S3-129", "sends no request and folds nothing below its trigger"), async () => {
    await using stage = await play();
    await talk(stage.session, 10);
    await stage.session.settle();
    const { currentTokens, triggerTokens } = await stage.session.compactionStatus();
    expect(currentTokens).toBeLessThan(triggerTokens);
    expect(await stage.session.budget()).toMatchObject({ needsSummary: false });
    expect([stage.eventsOf("compaction"), stage.provider.requests]).toEqual([[], []]);
  });

  test(shows("S3-58", "keeps two exchanges verbatim, however small the verbatim window is"), async () => {
    await using stage = await playPreset({
      policy: { ...SMALL, verbatim_window_tokens: 1 },
      script: detectorScript(replies.json(NO_BOUNDARY)),
    });
    await talk(stage.session, 16);
    await stage.session.settle();
    expect(stage.eventsOf("compaction")).toHaveLength(1);
    expect(numbersIn(await previewPrompt(stage.session))).toEqual([12, 13, 14, 15]);
  });

  test(
    shows(
      ["S3-62", "S3-127"],
      "shows the detector numbered messages, cut to their maximum length, and the signs of a new topic",
    ),
    async () => {
      await using stage = await play();
      await stage.session.append({ role: "user", content: `First. ${"x".repeat(3_000)}` });
      await talk(stage.session, 15, { from: 1 });
      await stage.session.settle();
      const asked = askedOf(stage.provider).find((text) => text.includes("boundary_index")) ?? "";
      for (const sign of ["another task", "another file", "the kind of work changes", "started again"]) {
        expect(asked).toContain(sign);
      }
      expect(asked).toContain(`[0] USER: First. ${"x".repeat(993)}\n[1] ASSISTANT: Message 1.`);
      expect(asked).toMatch(/\[14\] USER: Message 14\..*\n\[15\] ASSISTANT: Message 15\./);
    },
  );

  const FOUND = { boundary_index: 12, boundary_reason: "the invoices", confidence: 0.8, summary: "All was built." };

  test.each<readonly [string, ScriptedReply, object]>([
    ["clean JSON", replies.json(FOUND), { index: 12, confidence: 0.8, reason: "the invoices" }],
    ["a null boundary", replies.json(NO_BOUNDARY), { index: undefined, confidence: 0.9, reason: "one topic" }],
    [
      "fenced JSON",
      replies.text(`\`\`\`json\n${JSON.stringify(FOUND)}\n\`\`\``),
      { index: 12, confidence: 0.8, reason: "the invoices" },
    ],
    [
      "a fragment of JSON",
      replies.text('{"boundary_index": 12, "confidence": 0.8, "boundary_reason": "the invoices", "summ'),
      { index: 12, confidence: 0.8, reason: "the invoices" },
    ],
    ["prose", replies.text("no idea"), { index: undefined, confidence: 0 }],
  ])(shows(["S3-63", "S3-128"], "parses the detector's answer: %s"), async (_, answer, expected) => {
    await using stage = await play(answer);
    const boundaries: unknown[] = [];
    stage.palimpsest.on("topic-boundary", (event) => boundaries.push(event));
    await talk(stage.session, 16);
    await stage.session.settle();
    expect(boundaries).toMatchObject([expected]);
  });

  test(
    shows("S3-25", "has the input and the output limit of a model, and uses a sixteenth of the input for history"),
    async () => {
      const own = { windowTokens: 64_000, maxOutputTokens: 4_000 };
      const engine = await openPalimpsest({ policy: "workspace", models: { "own-model": own } });
      const session = await engine.session();
      const figures = await session.figures({ model: "own-model" });
      // The reserve for the reply is at most the longest reply of the model.
      expect(figures.window).toMatchObject({ windowTokens: 64_000, reserveTokens: 4_000 });
      expect(figures.budget).toMatchObject({ maxInputTokens: 60_000, maxHistoryTokens: 3_750 });
      const { budget, window } = await session.figures({ model: "claude-sonnet-4-5" });
      expect(window.windowTokens).toBe(200_000);
      expect(budget.maxHistoryTokens).toBe(Math.floor(budget.maxInputTokens / 16));
      await engine.close();
    },
  );
});

describe("ratio-chain", () => {
  const answer = (summary: string) =>
    replies.json({
      summary,
      keyPoints: ["the fox jumps"],
      context: { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] },
    });
  const NAMES = ["zero", "one", "two", "three", "four", "five"];
  const play = ({ keys, ...rest }: Partial<PlayOptions> & { readonly keys?: object } = {}): Promise<Play> =>
    playPreset({
      budgetTokens: 2_000,
      counter: "estimate",
      script: (_, index) => answer(`Summary ${NAMES[index]}. The fox jumps.`),
      policy: { preset: "ratio-chain", ...keys },
      ...rest,
    });

  test(shows("S4-8", "has a reset ratio of 0.7, which has to be below the trigger"), async () => {
    const open = (keys: object) => openPalimpsest({ policy: { preset: "ratio-chain", ...keys } });
    await expect(open({ resetTokenRatio: 0.8 })).rejects.toMatchObject({ code: "config-invalid" });
    await expect(open({ triggerTokenRatio: 0.7 })).rejects.toMatchObject({ code: "config-invalid" });
    await (await open({ triggerTokenRatio: 0.71 })).close();
  });

  test(
    shows("S4-33", "sends no request once its chain has its maximum length, and the plan gives the reason"),
    async () => {
      await using stage = await play({ keys: { maxSummaryChainDepth: 1, minMessages: 0 } });
      await talk(stage.session, 16);
      await stage.session.prompt();
      expect(stage.provider.requests).toHaveLength(1);
      await talk(stage.session, 8, { from: 16 });
      const held = await stage.session.prompt();
      expect(held.report.meter.shareOfWindow).toBeGreaterThanOrEqual(0.8);
      expect(suppressedOf(held)).toEqual([expect.stringMatching(/depth|chain/)]);
      expect(stage.provider.requests).toHaveLength(1);
      expect(await stage.session.getSummaryHistory()).toHaveLength(1);
    },
  );

  test(shows("S4-92", "waits for the cooldown even if its trigger is armed again"), async () => {
    await using stage = await play({ keys: { minMessages: 0 } });
    await talk(stage.session, 16);
    await stage.session.prompt();
    const armedIn = async () =>
      (await stage.entries()).flatMap((entry) => (entry.type === "request" ? entry.armed : []));
    // After the summary replaced its messages, the prompt is below the reset ratio, which arms the trigger again.
    await stage.session.prompt();
    expect((await armedIn()).at(-1)).toBe(true);
    await talk(stage.session, 3, { from: 16, times: 24 });
    const held = await stage.session.prompt();
    expect((await armedIn()).at(-1)).toBe(true);
    expect(suppressedOf(held)).toEqual([expect.stringContaining("only 3 of 4 messages arrived")]);
    expect(stage.provider.requests).toHaveLength(1);
  });

  test(shows("S4-93", "counts the summary among the twelve messages that a view needs"), async () => {
    await using stage = await play();
    await talk(stage.session, 16);
    await stage.session.prompt();
    expect(stage.provider.requests).toHaveLength(1);
    // The view has the summary and six messages: with four more it has eleven, with five more twelve.
    await talk(stage.session, 4, { from: 16, times: 16 });
    expect(suppressedOf(await stage.session.prompt())).toEqual([
      expect.stringContaining("the view has 11 messages, fewer than 12"),
    ]);
    expect(stage.provider.requests).toHaveLength(1);
    await talk(stage.session, 1, { from: 20, times: 1 });
    await stage.session.prompt();
    expect(stage.provider.requests).toHaveLength(2);
  });

  test(shows("S4-61", "writes a valid record of a technical conversation with decisions"), async () => {
    const words = "We decided to use SQLite 3.45.1 in src/ledger.ts. Ana has to send the invoices.";
    const context = {
      participants: ["Ana"],
      decisions: ["use SQLite 3.45.1"],
      actionItems: [{ task: "send the invoices", owner: "Ana", due: null }],
      unresolved: [],
      domainEntities: ["src/ledger.ts"],
    };
    const summary = "The ledger in src/ledger.ts uses SQLite 3.45.1.";
    await using stage = await play({ script: () => replies.json({ summary, keyPoints: ["SQLite 3.45.1"], context }) });
    await stage.session.append({ role: "user", content: words });
    await talk(stage.session, 15, { from: 1 });
    await stage.session.prompt();
    const [version] = await stage.session.getSummaryHistory();
    expect(version?.record).toMatchObject({
      text: expect.stringContaining(summary),
      keyPoints: ["SQLite 3.45.1"],
      facets: {
        decisions: expect.arrayContaining([expect.stringContaining("use SQLite 3.45.1")]),
        actionItems: [expect.objectContaining({ task: expect.stringContaining("send the invoices"), status: "open" })],
        entities: expect.arrayContaining(["src/ledger.ts"]),
      },
    });
  });

  test(shows("S4-62", "writes empty lists if there are no decisions and no tasks"), async () => {
    await using stage = await play();
    await talk(stage.session, 16);
    await stage.session.prompt();
    const [version] = await stage.session.getSummaryHistory();
    const empty = { decisions: [], actionItems: [], unresolved: [], participants: [] };
    expect(version?.record).toMatchObject({ keyPoints: ["the fox jumps"], facets: empty });
  });

  test.each<readonly [string, ScriptedReply, number, string]>([
    ["a lost connection", replies.reset("Summary", 3), 2, "transport"],
    [
      "a request that is refused as invalid",
      { type: "raw", status: 400, body: '{"error":{"message":"Unknown field x."}}' },
      1,
      "validation",
    ],
  ])(shows("S4-31", "retries only failures of the transport: %s"), async (_, reply, calls, rule) => {
    await using stage = await play({ script: () => reply });
    await talk(stage.session, 16);
    await stage.session.prompt();
    expect(stage.eventsOf("summary")).toMatchObject([{ outcome: "failed" }]);
    expect([stage.provider.requests.length, stage.eventsOf("summary")[0]?.rule]).toEqual([calls, rule]);
  });
});

describe("a summary that is too long", () => {
  /** Different sentences with somewhat more than 300 tokens in total. */
  const LONG = Array.from(
    { length: 35 },
    (_, index) => `The ${"very ".repeat(index % 7)}quick fox met dog ${String.fromCharCode(97 + (index % 26))} then.`,
  ).join(" ");

  test.each([
    ["agent-rounds", "rejected"],
    ["ratio-chain", "rejected"],
    ["rolling-chat", "reask"],
  ] as const)(shows("X-21", "under %s gives the first attempt the outcome %s"), async (preset, outcome) => {
    const context = { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] };
    const script = () =>
      preset === "ratio-chain" ? replies.json({ summary: LONG, keyPoints: [], context }) : replies.text(LONG);
    await using stage = await playPreset({
      policy: { preset, summary: { maxTokens: 300 } },
      script,
      budgetTokens: 6_000,
      counter: "estimate",
    });
    await talk(stage.session, 24, { times: 18 });
    await stage.session.prompt();
    await stage.session.settle();
    const outcomes = stage.eventsOf("summary").map((attempt) => attempt.outcome);
    expect(outcomes[0]).toBe(outcome);
    expect(stage.eventsOf("summary.trimmed").length > 0).toBe(outcome === "reask");
  });
});

describe("rolling-chat", () => {
  test(shows("X-12", "counts by the formula unless the policy selects the table"), async () => {
    const foldsOf = async (keys: object): Promise<readonly number[]> => {
      await using stage = await playPreset({ policy: { preset: "rolling-chat", ...keys } });
      const at: number[] = [];
      for (let index = 0; index < 24; index += 1) {
        await talk(stage.session, 1, { from: index, times: 1 });
        await stage.session.settle();
        if (stage.provider.requests.length > at.length) at.push(index + 1);
      }
      return at;
    };
    const [own, formula, table] = [
      await foldsOf({}),
      await foldsOf({ countMode: "unsummarized" }),
      await foldsOf({ countMode: "beyondTail" }),
    ];
    expect(own.length).toBeGreaterThan(1);
    expect(own).toEqual(formula);
    expect(table).not.toEqual(formula);
  });
});

test(shows("S2-34", "under agent-rounds a summary is a user message with its tag, for every provider"), async () => {
  const text =
    "The fox jumps over the lazy dog and goes on its way; the messages say so, and nothing else was decided.";
  const script = () => replies.text(text);
  await using stage = await playPreset({ policy: "agent-rounds", script, budgetTokens: 2_000, counter: "estimate" });
  await talk(stage.session, 24);
  const prompt = await stage.session.prompt();
  const rendered = {
    "ai-sdk": prompt.messages,
    anthropic: prompt.as("anthropic").messages,
    openai: prompt.as("openai").messages,
    "openai-responses": prompt.as("openai-responses").input,
    gemini: prompt.as("gemini").contents,
  };
  for (const [provider, messages] of Object.entries<readonly unknown[]>(rendered)) {
    const tagged = messages.filter((message) => JSON.stringify(message).includes("<conversation-summary>"));
    expect(tagged, provider).toMatchObject([{ role: "user" }]);
  }
});

describe("the configuration", () => {
  test(
    shows("S4-16", "is described by a schema, and a server refuses a file that breaks it, with the key"),
    async () => {
      const schema = JSON.stringify(CONFIG_SCHEMA);
      for (const key of ["triggerTokenRatio", "maxSummaryChainDepth", "preserveRecent"]) expect(schema).toContain(key);
      const path = join(folder, "config.json");
      writeFileSync(path, JSON.stringify({ preset: "ratio-chain", triggerTokenRatio: "much" }));
      await expect(openPalimpsest({ configFile: path })).rejects.toThrow(/triggerTokenRatio/);
      const ended = await runCommand(["serve", "--port", "0", "--config", path], {
        PALIMPSEST_HOME: join(folder, "home"),
      });
      expect(ended).toMatchObject({ code: 2, err: expect.stringContaining("triggerTokenRatio") });
    },
  );
});
