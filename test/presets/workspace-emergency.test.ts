/**
 * The second stage of the preset `workspace`: if the history is above twice its trigger and no compaction succeeded,
 * the oldest messages are left out of the view before the next prompt. Both models answer over a real socket.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validate } from "../../src/core/prompt/validate/validate.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { openPalimpsest } from "../../src/index.ts";
import type { PolicyInput } from "../../src/policies/policy-input.ts";
import { messageBuilder } from "../../src/testing/builders.ts";
import { histories } from "../../src/testing/generate-histories.ts";
import { shows } from "../../src/testing/shows.ts";
import { propertyRuns } from "../support/property-runs.ts";
import type { ProviderScript } from "../support/scripted-provider.ts";
import { scriptedReplies as replies } from "../support/scripted-provider-reply.ts";
import { linesOf, type Play, type PlayOptions, playPreset, previewPrompt } from "./play-preset.ts";

const SUMMARY = "The ledger keeps one row for every invoice and closes at night.";
const FILLER = "the ledger keeps one row for every invoice and closes at night. ";
const TRIGGER_TOKENS = 1_200;
const NO_BOUNDARY = { boundary_index: null, boundary_reason: "one topic", confidence: 0.9, summary: "" };

const SMALL = {
  preset: "workspace",
  compaction_trigger_tokens: TRIGGER_TOKENS,
  verbatim_window_tokens: 400,
  summary_budget_tokens: 120,
  pauseMs: 0,
} as const satisfies PolicyInput;

/** The detector finds no boundary, and the summarizer is unavailable while `isGone` is true. */
function scriptOf(summarizer: { isGone: boolean }): ProviderScript {
  return ({ body }) => {
    if (JSON.stringify(body).includes("boundary_index")) return replies.json(NO_BOUNDARY);
    return summarizer.isGone ? replies.unauthorised() : replies.text(SUMMARY);
  };
}

const exchanges = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => [
    { role: "user", content: `Question ${from + index}: ${FILLER.repeat(5).trim()}` },
    { role: "assistant", content: `Answer ${from + index}: ${FILLER.repeat(5).trim()}` },
  ]).flat();

async function play(options: Partial<PlayOptions> = {}): Promise<Play & { readonly summarizer: { isGone: boolean } }> {
  const summarizer = { isGone: true };
  const played = await playPreset({ policy: SMALL, script: scriptOf(summarizer), ...options });
  return { ...played, summarizer };
}

async function appendAll(session: Session, messages: readonly object[]): Promise<void> {
  await session.append(messages);
  await session.settle();
}

const changesOf = async ({ entries }: Play): Promise<readonly string[]> =>
  (await entries()).map(({ type }) => type).filter((type) => !["message", "request", "note"].includes(type));

const historyOf = async (session: Session): Promise<number> => (await session.budget()).historyTokens;

/** Checks that every shown question is followed by its answer. */
function expectPairs(lines: readonly string[]): void {
  const texts = lines.filter((line) => /^(?:user: Question|assistant: Answer)/.test(line));
  const numbers = texts.map((line) => /\d+/.exec(line)?.[0]);
  expect(texts.length % 2).toBe(0);
  for (let index = 0; index < texts.length; index += 2) {
    expect(texts[index]).toMatch(/^user: Question/);
    expect(texts[index + 1]).toMatch(/^assistant: Answer/);
    expect(numbers[index]).toBe(numbers[index + 1]);
  }
}

describe("when compaction failed and the history is above twice the trigger", () => {
  test(
    shows(
      ["S3-28", "S3-112", "X-16"],
      "the oldest messages are left out before the prompt is assembled, down to twice the trigger, in pairs",
    ),
    async () => {
      await using stage = await play();
      await appendAll(stage.session, exchanges(30));
      expect(stage.eventsOf("compaction-end")).toMatchObject([{ outcome: "failed", phase: "post-response" }]);
      const before = await historyOf(stage.session);
      expect(before).toBeGreaterThan(2 * TRIGGER_TOKENS);
      const asked = stage.provider.requests.length;
      const prompt = await stage.session.prompt();
      // The request for a summary that has just failed is not repeated.
      expect(stage.provider.requests).toHaveLength(asked);
      const after = await historyOf(stage.session);
      expect(after).toBeLessThanOrEqual(2 * TRIGGER_TOKENS);
      // No more messages are left out than needed: with one more exchange, the history would be above the limit again.
      expect(after + before / 30).toBeGreaterThan(2 * TRIGGER_TOKENS);
      const lines = linesOf(prompt);
      expect(lines.length).toBeLessThan(60);
      expect(lines[0]).toMatch(/^user: \[\d+ earlier messages \(\d+ tokens\) not shown here\.\]/);
      expectPairs(lines);
      expect(lines.slice(-2)).toEqual(
        exchanges(30)
          .slice(-2)
          .map(({ role, content }) => `${role}: ${content}`),
      );
      expect(prompt.report.summary).toBeUndefined();
      expect(prompt.report.compaction).toMatchObject({ steps: ["truncate"], isRecorded: true, attempts: [] });
      expect(stage.eventsOf("warning").at(-1)?.text).toMatch(
        /without a summary: a history of \d+ tokens, above 2 times/,
      );
      for (const provider of ["openai", "openai-responses", "anthropic", "gemini"] as const) {
        expect(validate(prompt.as(provider), provider)).toEqual([]);
      }
    },
  );

  test(shows("X-16", "messages are dropped down to the trigger if the policy sets it"), async () => {
    await using stage = await play({ policy: { ...SMALL, emergency: { to: "trigger" } } });
    await appendAll(stage.session, exchanges(30));
    const before = await historyOf(stage.session);
    expectPairs(linesOf(await stage.session.prompt()));
    const after = await historyOf(stage.session);
    expect(after).toBeLessThanOrEqual(TRIGGER_TOKENS);
    expect(after + before / 30).toBeGreaterThan(TRIGGER_TOKENS);
  });

  test("the log keeps every word, one entry describes the change, and an undo restores all of it", async () => {
    await using stage = await play();
    await appendAll(stage.session, exchanges(30));
    const whole = linesOf(await previewPrompt(stage.session));
    const stored = await stage.entries();
    await stage.session.prompt();
    expect((await stage.entries()).slice(0, stored.length)).toEqual(stored);
    expect(await changesOf(stage)).toEqual(["truncate"]);
    expect(await stage.session.transcript()).toHaveLength(60);
    expect(await stage.session.undo()).toMatchObject({ type: "undone" });
    expect(linesOf(await previewPrompt(stage.session))).toEqual(whole);
    // Messages that an undo restored are not dropped again at once.
    expect(linesOf(await stage.session.prompt())).toEqual(whole);
    expect(await changesOf(stage)).toEqual(["truncate", "undo"]);
  });

  test(shows("X-16", "the summary and its acknowledgement stay in the prompt"), async () => {
    await using stage = await play();
    stage.summarizer.isGone = false;
    await appendAll(stage.session, exchanges(12));
    stage.summarizer.isGone = true;
    const pair = linesOf(await previewPrompt(stage.session)).slice(0, 2);
    expect(pair[0]).toContain(SUMMARY);
    await appendAll(stage.session, exchanges(30, 13));
    const lines = linesOf(await stage.session.prompt());
    expect(lines[0]).toContain(pair[0]);
    expect(lines[0]).toContain("earlier messages");
    expect(lines[1]).toBe(pair[1]);
    expectPairs(lines);
    expect(await historyOf(stage.session)).toBeLessThanOrEqual(2 * TRIGGER_TOKENS);
    expect(await changesOf(stage)).toEqual(["summary", "truncate"]);
  });

  test("rounds stay whole, even if there is only one turn, and its request stays", async () => {
    await using stage = await play();
    const { aUserMessage, aRound, anAssistantMessage } = messageBuilder();
    const rounds = Array.from({ length: 40 }, (_, index) =>
      aRound([{ callId: `call-${index}`, output: `output ${index}: ${FILLER.repeat(6)}` }]),
    );
    const messages = [aUserMessage("Read all of the ledger."), ...rounds.flat(), anAssistantMessage("Done.")];
    await stage.session.append(messages, { format: "palimpsest" });
    await stage.session.settle();
    const prompt = await stage.session.prompt();
    const lines = linesOf(prompt);
    expect(lines.some((line) => line.includes("Read all of the ledger."))).toBe(true);
    expect(lines.join("\n")).toContain("output 39:");
    expect(lines.join("\n")).not.toContain("output 0:");
    expect(await historyOf(stage.session)).toBeLessThanOrEqual(2 * TRIGGER_TOKENS);
    for (const provider of ["openai", "openai-responses", "anthropic", "gemini"] as const) {
      expect(validate(prompt.as(provider), provider)).toEqual([]);
    }
  });

  test("the prompt is the same after a restart, and the next one extends it", async () => {
    await using stage = await play();
    await appendAll(stage.session, exchanges(30));
    const prompt = await stage.session.prompt();
    const reopened = await (await stage.openAgain()).session(stage.session.id);
    expect((await previewPrompt(reopened)).messages).toEqual(prompt.messages);
    const next = await reopened.prompt({ next: { role: "user", content: "And now?" } });
    expect(next.messages.slice(0, prompt.messages.length)).toEqual(prompt.messages);
  });
});

describe("nothing is left out", () => {
  test("at exactly twice the trigger", async () => {
    await using probe = await play({ policy: { ...SMALL, emergency: false } });
    await appendAll(probe.session, exchanges(30));
    const half = (await historyOf(probe.session)) / 2;
    for (const [triggerTokens, changes] of [
      [Math.ceil(half), []],
      [Math.ceil(half) - 1, ["truncate"]],
    ] as const) {
      await using stage = await play({ policy: { ...SMALL, compaction_trigger_tokens: triggerTokens } });
      await appendAll(stage.session, exchanges(30));
      await stage.session.prompt();
      expect(await changesOf(stage)).toEqual(changes);
    }
  });

  test("while a compaction has not been tried: the prompt tries it first, and uses its summary", async () => {
    await using stage = await play();
    stage.summarizer.isGone = false;
    // No work follows messages that end with a user message.
    await stage.session.append([...exchanges(30), { role: "user", content: "And now?" }]);
    await stage.session.settle();
    expect(stage.provider.requests).toHaveLength(0);
    const prompt = await stage.session.prompt();
    expect(await changesOf(stage)).toEqual(["summary"]);
    expect(linesOf(prompt)[0]).toContain(SUMMARY);
  });

  test.each([
    ["the policy has no emergency step", { ...SMALL, emergency: false }],
    ["compaction is switched off", { ...SMALL, enabled: false }],
  ] as const)("if %s", async (_, policy) => {
    await using stage = await play({ policy });
    await appendAll(stage.session, exchanges(30));
    expect(linesOf(await stage.session.prompt())).toHaveLength(60);
    expect(await changesOf(stage)).toEqual([]);
  });

  test("if the prompt is only previewed", async () => {
    await using stage = await play();
    await appendAll(stage.session, exchanges(30));
    await stage.session.prompt({ preview: true });
    expect(await changesOf(stage)).toEqual([]);
  });
});

test("in any conversation, prompts are valid, change the past once, and otherwise extend each other", async () => {
  const providers = ["openai", "openai-responses", "anthropic", "gemini"] as const;
  const aPiece = histories({ maxTurns: 4 }).filter(({ length }) => length > 0);
  let truncations = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(aPiece, { minLength: 2, maxLength: 5 }), async (pieces) => {
      const policy: PolicyInput = { preset: "workspace", compaction_trigger_tokens: 150, pauseMs: 0 };
      const palimpsest = await openPalimpsest({ windowTokens: 200_000, counter: "estimate", policy });
      const session = await palimpsest.session();
      let before: Prompt | undefined;
      for (const [index, piece] of pieces.entries()) {
        const messages = piece.map((message, place) => ({ ...message, id: `m-${index}-${place}` }));
        await session.append(messages, { format: "palimpsest" });
        await session.settle();
        const prompt = await session.prompt();
        for (const provider of providers) expect(validate(prompt.as(provider), provider)).toEqual([]);
        const { compaction, changes, volatileBlocks } = prompt.report;
        if (compaction !== undefined) {
          truncations += 1;
          expect(compaction).toMatchObject({ isRecorded: true, attempts: [] });
          expect(compaction.tokensAfter).toBeLessThan(compaction.tokensBefore);
          expect(changes[0]?.entryId).toBe(before === undefined ? changes[0]?.entryId : compaction.entryIds[0]);
        } else if (before !== undefined && before.report.volatileBlocks === 0 && volatileBlocks === 0) {
          if (changes.length === 0) expect(prompt.messages.slice(0, before.messages.length)).toEqual(before.messages);
        }
        // A second prompt leaves nothing more out, even if the first could not leave out enough.
        before = await session.prompt();
        expect(before.report.compaction).toBeUndefined();
      }
      const messageCount = pieces.flat().length;
      expect(await session.transcript()).toHaveLength(messageCount);
      await palimpsest.close();
    }),
    { numRuns: propertyRuns(40) },
  );
  expect(truncations).toBeGreaterThan(10);
});

test("without any model, the oldest messages are left out, since no summarizer exists", async () => {
  await using stage = await play();
  const alone = await openPalimpsest({ store: stage.store, windowTokens: 200_000, policy: SMALL });
  const session = await alone.session("alone");
  await appendAll(session, exchanges(30));
  const { report } = await session.prompt();
  expect(report.compaction).toMatchObject({ steps: ["truncate"] });
  expect(await historyOf(session)).toBeLessThanOrEqual(2 * TRIGGER_TOKENS);
});

test("the default policy leaves no messages out: code writes a summary if no model does", async () => {
  await using stage = await play({ policy: "default", budgetTokens: 4_000 });
  await appendAll(stage.session, exchanges(30));
  const { report } = await stage.session.prompt();
  expect(report.compaction?.steps).toContain("summarise");
  expect(report.summary).toBeDefined();
  expect(await changesOf(stage)).toEqual(["summary"]);
});
