/** Every strategy that asks a model, by name. The offline one asks nobody and is not here. */
import { brief } from "./brief.ts";
import { handoffAfterPrompt, handoffFull, handoffSimple } from "./handoff.ts";
import { keypoints } from "./keypoints.ts";
import type { Strategy, StrategyName } from "./strategy.ts";
import { structured } from "./structured.ts";
import { topic } from "./topic.ts";

export const STRATEGIES: Readonly<Record<StrategyName, Strategy>> = {
  brief,
  keypoints,
  "handoff-full": handoffFull,
  "handoff-simple": handoffSimple,
  "handoff-after-prompt": handoffAfterPrompt,
  topic,
  structured,
};
