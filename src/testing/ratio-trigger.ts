/** The ratio trigger with the defaults of its document, for tests that change one of them. */
import type { RatioTrigger } from "../core/plan/triggers/trigger.ts";

export const RATIO: RatioTrigger = {
  type: "ratio",
  of: "window",
  triggerRatio: 0.8,
  resetRatio: 0.7,
  minMessages: 12,
  cooldownMessages: 4,
  maxSummaryChainDepth: 3,
  onDepthCap: "stop",
};
