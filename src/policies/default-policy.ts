/**
 * What Palimpsest does when nobody says otherwise. It acts only when a prompt would not fit, and then makes enough room
 * that the next turns share a prefix, because every change of the past costs a cache miss.
 */
import type { PlanSettings } from "../core/plan/plan-settings.ts";

export const DEFAULT_POLICY: PlanSettings = {
  enabled: true,
  triggerRatio: 0.8,
  targetRatio: 0.6,
  tail: { messages: 6, exchanges: 2, rounds: 2, ratio: 0.25 },
  prune: {
    rules: "default",
    minimumTokens: 200,
    exemptTools: [],
    // The tail takes a share of the budget already; this is for policies whose tail is short.
    protectTokens: 0,
    minimumBatchTokens: 500,
    previewTokens: 60,
  },
  pinRatio: 0.25,
};
