/** Finds prompt sizes at which no trigger can fire, so that a caller need not wait for a plan. */
import type { PlanSettings } from "../plan-settings.ts";
import type { Trigger } from "./trigger.ts";

export interface QuietTokens {
  /** A smaller prompt causes no compaction while the provider has the prefix in its cache. */
  readonly warmTokens: number;
  /** The same after any pause. */
  readonly coldTokens: number;
}

export interface QuietLimits {
  readonly windowTokens: number;
  readonly limitTokens: number;
}

/** Returns 0 for triggers that do not depend on the size of the prompt. */
export function findQuietTokens({ enabled, triggers }: PlanSettings, limits: QuietLimits): QuietTokens {
  const firing = enabled ? triggers : [];
  const warm = firing.filter(({ type }) => type !== "cold-cache");
  const least = (list: readonly Trigger[]) =>
    Math.min(limits.limitTokens, ...list.map((trigger) => findQuietSize(trigger, limits)));
  return { warmTokens: least(warm), coldTokens: least(firing) };
}

/** A ratio of the budget is reached later than the same ratio of the limit, because instructions count in the prompt. */
function findQuietSize(trigger: Trigger, { windowTokens, limitTokens }: QuietLimits): number {
  switch (trigger.type) {
    case "ratio":
      return Math.floor(trigger.triggerRatio * (trigger.of === "window" ? windowTokens : limitTokens));
    case "cold-cache":
      return Math.floor((trigger.fromRatio ?? 0) * limitTokens);
    case "tokens":
      return trigger.maxTokens;
    case "overflow":
    case "refusal":
    case "manual":
      return limitTokens;
    case "messages":
    case "unsummarised":
    case "refresh":
      return 0;
    default:
      return trigger satisfies never;
  }
}
