/** The settings as they are for a model of some size: a policy whose token threshold goes with the window gets its number. */
import { thresholdForWindow } from "../budget/budget.ts";
import type { PlanSettings } from "./plan-settings.ts";

export interface ModelSize {
  /** Undefined where the size is not known: the policy's own number holds. */
  readonly modelTokens: number | undefined;
}

export function settingsForModel(settings: PlanSettings, { modelTokens }: ModelSize): PlanSettings {
  if (settings.triggerTokensByWindow !== true || modelTokens === undefined) return settings;
  const maxTokens = thresholdForWindow(modelTokens);
  return {
    ...settings,
    triggers: settings.triggers.map((trigger) => (trigger.type === "tokens" ? { ...trigger, maxTokens } : trigger)),
    triggerTokens: maxTokens,
    tail: { ...settings.tail, otherwiseTokens: scaleTail(settings, maxTokens) },
  };
}

/** The tail leaves room for the summary. One that was set to something else stays, and is never above that. */
function scaleTail({ tail, triggerTokens = 0, summary }: PlanSettings, maxTokens: number): number | undefined {
  const { otherwiseTokens } = tail;
  if (otherwiseTokens === undefined) return undefined;
  const roomTokens = Math.max(0, maxTokens - summary.maxTokens);
  return otherwiseTokens === triggerTokens - summary.maxTokens ? roomTokens : Math.min(otherwiseTokens, roomTokens);
}
