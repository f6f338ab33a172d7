/** Compares each number of the presets with its document. Other tests show their behavior. */
import { describe, expect, test } from "vitest";
import { resolvePolicy } from "../../test/support/core-values.ts";
import { STRATEGIES } from "../core/summary/strategies/strategies.ts";
import { shows } from "../testing/shows.ts";
import type { PolicyInput } from "./policy-input.ts";
import { findRelaxedLaws } from "./policy-input.ts";
import { PRESETS, UNCAPPED_TOKENS } from "./presets.ts";
import { findContradiction } from "./resolve-layers.ts";

const all = Object.entries(PRESETS);

describe("every preset", () => {
  test.each(all)("%s has its own name and is enabled", (name, settings) => {
    expect(settings).toMatchObject({ name, enabled: true });
  });

  test.each(all)("%s is valid, and resolving it changes nothing", (name, settings) => {
    expect(resolvePolicy({ preset: name, ...settings } as PolicyInput)).toEqual(settings);
    expect(findContradiction(settings)).toBeUndefined();
  });

  test.each(all)("%s lists every law that its settings relax", (_name, settings) => {
    expect(settings.relaxedLaws).toEqual(findRelaxedLaws({ ...settings, relaxedLaws: [] }));
  });

  test.each(all)(
    "%s has no gate and no background preparation, and does not prune before it summarizes",
    (_name, settings) => {
      expect(settings).toMatchObject({ gate: false, pruneFirst: false, span: "before-tail" });
      expect(settings.summary.addMissing).toBe(false);
      expect(settings.background).toBeUndefined();
    },
  );

  test.each(all)("%s changes nothing if a summarizer fails", (_name, settings) => {
    expect(settings.summary).toMatchObject({ onFailure: "keep", abortOnFailure: false });
  });

  test.each(all)("%s uses a strategy that exists", (_name, { summary }) => {
    expect(Object.keys(STRATEGIES)).toContain(summary.strategy);
  });

  test("only workspace looks for topics, and the topic detector of every preset is a model", () => {
    const searching = all.filter(([, { topics }]) => topics.mode !== "off").map(([name]) => name);
    expect(searching).toEqual(["workspace"]);
    expect(all.map(([, { topics }]) => topics.detector)).toEqual(all.map(() => "model"));
  });

  test(shows("X-21", "agent-rounds and ratio-chain reject an oversized summary, and the others trim it"), () => {
    expect(all.map(([name, { summary }]) => [name, summary.onOversize])).toEqual([
      ["rolling-chat", "reask-trim"],
      ["windowed-sql", "reask-trim"],
      ["agent-rounds", "reject"],
      ["workspace", "reask-trim"],
      ["ratio-chain", "reject"],
    ]);
  });

  test(shows("X-26", "every preset but agent-rounds keeps the open request verbatim"), () => {
    const folding = all.filter(([, { keepOpenRequest }]) => !keepOpenRequest).map(([name]) => name);
    expect(folding).toEqual(["agent-rounds"]);
    expect(resolvePolicy("default").keepOpenRequest).toBe(true);
  });

  test("rolling-chat relaxes laws 3 and 6, windowed-sql relaxes law 4, and both measure shrinking in messages", () => {
    expect(all.map(([name, { relaxedLaws, shrinksBy }]) => [name, relaxedLaws, shrinksBy])).toEqual([
      ["rolling-chat", ["3 no gap", "6 stable"], "messages"],
      ["windowed-sql", ["4 nothing lost"], "messages"],
      ["agent-rounds", [], "tokens"],
      ["workspace", [], "tokens"],
      ["ratio-chain", [], "tokens"],
    ]);
    expect(resolvePolicy("default")).toMatchObject({ relaxedLaws: [], shrinksBy: "tokens" });
  });
});

describe("rolling-chat", () => {
  const settings = PRESETS["rolling-chat"];

  test("summarizes all but the last six text messages after a reply, once there are more than ten", () => {
    expect(settings).toMatchObject({
      phase: "post-response",
      pauseMs: 0,
      retention: "keep",
      tail: { textMessages: 6 },
    });
    expect(settings.triggers).toEqual([
      { type: "unsummarised", threshold: 10, countMode: "unsummarized", tailMessages: 6 },
    ]);
  });

  test("shows the last 20 messages without a summary, and the last six with one", () => {
    expect(settings.visible).toEqual({ messagesWithSummary: 6, messagesWithoutSummary: 20, textOnly: true });
    expect(settings.clear).toBe("next-generation");
  });

  test("requests a brief summary of at most 500 tokens and shows it as a pair of messages", () => {
    expect(settings.summary).toMatchObject({ strategy: "brief", maxTokens: 500, secondPass: false });
    expect(settings.summary.renderer).toEqual({
      type: "pair",
      prefix: "[Earlier conversation summary: ",
      suffix: "]",
      acknowledgement: "Understood, I have context from our earlier conversation.",
    });
  });

  test("prunes tool output during an agent loop by its own rules, without a minimum size", () => {
    expect(settings.prune).toEqual({ rules: "rolling-chat", minimumTokens: 0, exemptTools: [], inLoop: true });
  });
});

describe("windowed-sql", () => {
  const settings = PRESETS["windowed-sql"];

  test(shows(["S1-5", "S1-6"], "compacts above 12 messages or 6,000 tokens by default"), () => {
    expect(settings.triggers).toEqual([
      { type: "tokens", maxTokens: 6_000 },
      { type: "messages", maxMessages: 12 },
    ]);
    expect(settings).toMatchObject({ phase: "pre-request", tail: { messages: 12 }, triggerTokens: 6_000 });
  });

  test("requests key points of at most 500 tokens, shows them as system text and deletes covered messages", () => {
    expect(settings.summary).toMatchObject({ strategy: "keypoints", maxTokens: 500, renderer: { type: "system" } });
    expect(settings.retention).toBe("delete");
    expect(settings.maxCompactionsPerPrompt).toBe(1);
  });
});

describe("agent-rounds", () => {
  const settings = PRESETS["agent-rounds"];

  test("compacts only if a prompt exceeds 85 % of the model's limit, and keeps the newest round", () => {
    expect(settings).toMatchObject({ phase: "pre-request", triggers: [], tail: { openRounds: 1 }, retention: "keep" });
    expect(settings.budget).toEqual({ share: 0.85 });
  });

  test("requests a full handoff without a cap, and shows it as a tagged user message", () => {
    expect(settings.summary).toMatchObject({ strategy: "handoff-full", maxTokens: UNCAPPED_TOKENS, ratio: 1 });
    expect(settings.summary.renderer).toEqual({ type: "tagged-user", tag: "conversation-summary" });
  });
});

describe("workspace", () => {
  const settings = PRESETS.workspace;

  test(
    shows(
      ["S3-54", "S3-55", "S3-56", "S3-57", "S3-58"],
      "compacts above 24,000 tokens, keeps 4,000 tokens and two exchanges, and caps a summary at 500",
    ),
    () => {
      expect(settings).toMatchObject({ enabled: true, triggerTokens: 24_000, tail: { tokens: 4_000, exchanges: 2 } });
      expect(settings.triggers).toEqual([{ type: "tokens", maxTokens: 24_000 }]);
      expect(settings.summary).toMatchObject({ strategy: "topic", maxTokens: 500 });
    },
  );

  test("waits 500 ms after a reply, and asks a model for a topic boundary first", () => {
    expect(settings).toMatchObject({ phase: "post-response", pauseMs: 500, retention: "keep" });
    expect(settings.topics).toEqual({ mode: "first", detector: "model", minConfidence: 0.5 });
  });

  test("shows its summary as a pair with a heading, and fills cache tiers up to 1,536 tokens", () => {
    expect(settings.summary.renderer).toMatchObject({ type: "pair", prefix: "[History Summary]\n", suffix: "" });
    expect(settings.cacheTargetTokens).toBe(1_536);
  });
});

describe("ratio-chain", () => {
  const settings = PRESETS["ratio-chain"];

  test(
    shows(
      ["S4-6", "S4-7", "S4-8", "S4-10", "S4-11", "S4-15"],
      "has its document's defaults for `enabled`, ratios, guards, tail and failures",
    ),
    () => {
      expect(settings).toMatchObject({ enabled: true, tail: { messages: 6 }, triggerRatio: 0.8 });
      expect(settings.triggers).toEqual([
        {
          type: "ratio",
          of: "window",
          triggerRatio: 0.8,
          resetRatio: 0.7,
          minMessages: 12,
          cooldownMessages: 4,
          maxSummaryChainDepth: 3,
          onDepthCap: "stop",
        },
      ]);
      expect(settings.summary.abortOnFailure).toBe(false);
    },
  );

  test("requests a structured summary before a prompt, shows it with its depth and allows a second pass", () => {
    expect(settings).toMatchObject({ phase: "pre-request", retention: "keep", maxCompactionsPerPrompt: 2 });
    expect(settings.summary).toMatchObject({
      strategy: "structured",
      renderer: { type: "system", tag: "summary-depth" },
      secondPass: true,
      modelPreference: [],
    });
  });
});
