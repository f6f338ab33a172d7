/**
 * What Palimpsest does when nobody says otherwise. What can wait must pay for itself; what cannot makes enough room
 * that the next turns share a prefix, because every change of the past costs a cache miss.
 */
import type { PlanSettings } from "../core/plan/plan-settings.ts";

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
  // The last two requests stay in any case; a turn of hundreds of rounds is no tail.
  tail: { messages: 6, rounds: 2, ratio: 0.12 },
  span: "before-tail",
  // A placeholder says less than a summary of the same size would: what is left after folding is pruned, not before.
  pruneFirst: false,
  prune: {
    rules: "default",
    minimumTokens: 200,
    exemptTools: [],
    // The tail takes a share of the budget already; this is for policies whose tail is short.
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
    // What the share comes to at 18,000: with less, the names that the work needs next are not in it.
    smallTokens: 3_000,
    onOversize: "reask-trim",
    onFailure: "offline",
    abortOnFailure: false,
    protectedShare: 0.5,
    modelPreference: [],
    secondPass: false,
  },
  topics: { mode: "fallback", detector: "offline", minConfidence: 0.5 },
  gate: true,
  background: { prepareRatio: 0.75, applyRatio: 0.95 },
  keepOpenRequest: true,
  retention: "keep",
  pinRatio: 0.25,
  shrinksBy: "tokens",
  maxCompactionsPerPrompt: 3,
  pauseMs: 0,
  relaxedLaws: [],
};

/**
 * What `fit` does when its caller says nothing about when to compact. It knows of no cache that an early fold would
 * save, so it folds only what does not fit, and keeps as much of the newest messages as the target leaves room for.
 */
export const FIT_POLICY: PlanSettings = {
  ...DEFAULT_POLICY,
  triggers: [],
  triggerRatio: 1,
  targetRatio: 0.75,
  span: "to-target",
  // Beside a summary of this share, the newest messages alone reach the lower end of what a fold should leave.
  summary: { ...DEFAULT_POLICY.summary, ratio: 0.14 },
};
