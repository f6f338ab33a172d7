/** The default policy. An optional compaction must pay for itself; an unavoidable one frees room for several turns. */
import type { PlanSettings, RecallSettings } from "../core/plan/plan-settings.ts";

export const DEFAULT_RECALL: RecallSettings = {
  enabled: true,
  ratio: 0.1,
  smallTokens: 500,
  largeRatio: 0.03,
  maxTokens: 1_000,
  otherSessions: 0,
};

export const DEFAULT_POLICY: PlanSettings = {
  name: "default",
  enabled: true,
  phase: "pre-request",
  triggers: [
    {
      type: "ratio",
      of: "budget",
      triggerRatio: 0.6,
      resetRatio: 0.5,
      minMessages: 6,
      cooldownMessages: 4,
      maxSummaryChainDepth: 1_000,
      onDepthCap: "fold",
    },
    { type: "cold-cache", fromRatio: 0.25 },
  ],
  triggerRatio: 0.6,
  targetRatio: 0.6,
  // The last two requests always stay; a turn of hundreds of rounds is too long for a tail.
  tail: { messages: 6, rounds: 2, ratio: 0.12 },
  span: "before-tail",
  // A placeholder contains less information than a summary of the same size, so pruning comes after folding.
  pruneFirst: false,
  prune: {
    rules: "default",
    minimumTokens: 200,
    exemptTools: [],
    // The tail is already a share of the budget; this setting is for policies with a short tail.
    protectTokens: 0,
    minimumBatchTokens: 500,
    previewTokens: 60,
    enoughRatio: 0.4,
  },
  summary: {
    strategy: "structured",
    renderer: { type: "data" },
    maxTokens: 8_000,
    ratio: 0.2,
    // A smaller summary loses names that later messages need.
    smallTokens: 3_000,
    onOversize: "reask-trim",
    onFailure: "offline",
    abortOnFailure: false,
    waitMs: 20_000,
    protectedShare: 0.5,
    addMissing: true,
    headings: "english",
    modelPreference: [],
    secondPass: false,
  },
  topics: { mode: "fallback", detector: "offline", minConfidence: 0.5 },
  gate: true,
  background: { prepareRatio: 0.75, applyRatio: 0.95 },
  keepOpenRequest: true,
  recall: DEFAULT_RECALL,
  retention: "keep",
  pinRatio: 0.25,
  shrinksBy: "tokens",
  maxCompactionsPerPrompt: 3,
  pauseMs: 0,
  relaxedLaws: [],
};

/** The policy of `fit`. Without a known cache, an early fold saves nothing, so it folds only what does not fit. */
export const FIT_POLICY: PlanSettings = {
  ...DEFAULT_POLICY,
  triggers: [],
  triggerRatio: 1,
  targetRatio: 0.75,
  span: "to-target",
  // Leaves enough of the target for the newest messages.
  summary: { ...DEFAULT_POLICY.summary, ratio: 0.14 },
};
