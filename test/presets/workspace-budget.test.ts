/**
 * The figures that the preset `workspace` reports, and the one that triggers a compaction. Of two similar figures, only
 * the trigger starts a compaction; the other, a sixteenth of the input, is only reported.
 */
import { describe, expect, test } from "vitest";
import { toDocumentBudget, toDocumentStatus } from "../../src/compat/documents/document-names.ts";
import { isDue } from "../../src/engine/state/session-status.ts";
import type { PolicyInput } from "../../src/policies/policy-input.ts";
import type { Workspace } from "../../src/ports/workspace.ts";
import { shows } from "../../src/testing/shows.ts";
import { scriptedReplies as replies } from "../support/scripted-provider-reply.ts";
import { type Play, playPreset } from "./play-preset.ts";

const FILLER = "the ledger keeps one row for every invoice and closes at night. ";
const SUMMARY = "The ledger keeps one row for every invoice and closes at night.";
const NO_BOUNDARY = { boundary_index: null, boundary_reason: "one topic", confidence: 0.9, summary: "" };

const play = (policy: PolicyInput = { preset: "workspace", pauseMs: 0 }): Promise<Play> =>
  playPreset({
    policy,
    windowTokens: 200_000,
    reserveTokens: 0,
    script: ({ body }) =>
      JSON.stringify(body).includes("boundary_index") ? replies.json(NO_BOUNDARY) : replies.text(SUMMARY),
  });

const exchanges = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    { role: "user", content: `Question ${index}: ${FILLER.repeat(10)}` },
    { role: "assistant", content: `Answer ${index}: ${FILLER.repeat(10)}` },
  ]).flat();

describe("the budget", () => {
  test(
    shows(
      "S3-26",
      "has the history's tokens, its limit, the input limit, the remaining tokens, and whether a summary is due",
    ),
    async () => {
      await using stage = await play();
      const { session } = stage;
      expect(await session.budget()).toEqual({
        historyTokens: 0,
        promptTokens: 0,
        maxHistoryTokens: 12_500,
        maxInputTokens: 200_000,
        remainingTokens: 200_000,
        needsSummary: false,
      });
      await session.append(exchanges(4));
      const { historyTokens, remainingTokens, needsSummary } = await session.budget();
      expect(historyTokens).toBeGreaterThan(1_000);
      expect(remainingTokens).toBe(200_000 - historyTokens);
      expect(needsSummary).toBe(isDue(await session.compactionStatus()));
      expect(toDocumentBudget(await session.budget())).toEqual({
        history_tokens: historyTokens,
        max_history_tokens: 12_500,
        max_input_tokens: 200_000,
        remaining: 200_000 - historyTokens,
        needs_summary: false,
      });
    },
  );

  test(
    shows("S3-26", "never has less than zero tokens remaining, and reports a summary as due when a compaction is due"),
    async () => {
      await using stage = await playPreset({
        policy: { preset: "workspace", compaction_trigger_tokens: 500, enabled: true, pauseMs: 60_000 },
        windowTokens: 1_000,
        reserveTokens: 0,
      });
      const { session } = stage;
      await session.append(exchanges(8));
      expect(await session.budget()).toMatchObject({
        maxInputTokens: 1_000,
        maxHistoryTokens: 62,
        remainingTokens: 0,
        needsSummary: true,
      });
      expect(isDue(await session.compactionStatus())).toBe(true);
    },
  );
});

describe("the trigger of 24,000 tokens and the limit of a sixteenth of the input", () => {
  test(
    shows(["S3-153", "X-17", "S3-27"], "are both reported, and a history between the two is not compacted"),
    async () => {
      await using stage = await play();
      const { session } = stage;
      // Above a sixteenth of the input (12,500) and below the trigger (24,000).
      await session.append(exchanges(70));
      await session.settle();
      const between = await session.budget();
      expect(between.historyTokens).toBeGreaterThan(between.maxHistoryTokens);
      expect(between).toMatchObject({ maxHistoryTokens: 12_500, needsSummary: false });
      expect(await session.compactionStatus()).toMatchObject({ triggerTokens: 24_000 });
      expect(toDocumentStatus(await session.compactionStatus())).toMatchObject({ trigger_tokens: 24_000 });
      expect(stage.provider.requests).toEqual([]);
      expect(stage.eventsOf("compaction-start")).toEqual([]);
      await session.append(exchanges(30));
      await session.settle();
      const [start] = stage.eventsOf("compaction-start");
      expect(start?.tokensBefore).toBeGreaterThan(24_000);
      expect(start?.triggers).toEqual(["tokens"]);
      expect(stage.eventsOf("compaction")).toHaveLength(1);
      expect(await session.budget()).toMatchObject({ maxHistoryTokens: 12_500, needsSummary: false });
    },
  );

  test(shows("S3-27", "lead to a compaction above the trigger, and to none at the trigger"), async () => {
    await using probe = await play({ preset: "workspace", compaction_trigger_tokens: 1_000_000, pauseMs: 0 });
    await probe.session.append(exchanges(40));
    const { historyTokens } = await probe.session.budget();
    for (const [triggerTokens, compactions] of [
      [historyTokens, 0],
      [historyTokens - 1, 1],
    ] as const) {
      await using stage = await play({ preset: "workspace", compaction_trigger_tokens: triggerTokens, pauseMs: 0 });
      await stage.session.append(exchanges(40));
      await stage.session.settle();
      expect(stage.eventsOf("compaction")).toHaveLength(compactions);
    }
  });
});

test(
  shows(
    "X-20",
    "the workspace preset has no minimum size for a breakpoint, and the default policy uses the provider's",
  ),
  async () => {
    const workspace: Workspace = {
      legend: "f: function",
      listTree: async () => ({ paths: ["ledger.ts"], isCut: false }),
      findFile: async () => undefined,
      listOutlines: async () => [],
      readLink: async (url) => ({ type: "refused", url, reason: "There is no network." }),
    };
    const systemWith = async (policy: PolicyInput) => {
      await using stage = await playPreset({ policy, workspace, model: "claude-sonnet-4-5", windowTokens: 200_000 });
      await stage.session.append({ role: "user", content: "Hello." });
      const prompt = await stage.session.prompt({ instructions: "Be brief." });
      return JSON.stringify(prompt.as("anthropic").system);
    };
    expect(await systemWith("workspace")).toContain("cache_control");
    expect(await systemWith("default")).not.toContain("cache_control");
  },
);
