/** Adapts a policy's settings to a model, a view and a limit. */
import { computeThreshold } from "../budget/budget.ts";
import type { View } from "../log/view.ts";
import { type ConversationKind, findConversationKind } from "../summary/read/candidate.ts";
import { summaryCap } from "../summary/record/trim-summary.ts";
import type { PlanSettings } from "./plan-settings.ts";

export interface ModelSize {
  /** Undefined if the size is unknown; the policy's own number then applies. */
  readonly modelTokens: number | undefined;
}

export function adaptSettingsToModel(settings: PlanSettings, { modelTokens }: ModelSize): PlanSettings {
  if (settings.triggerTokensByWindow !== true || modelTokens === undefined) return settings;
  const maxTokens = computeThreshold(modelTokens);
  return {
    ...settings,
    triggers: settings.triggers.map((trigger) => (trigger.type === "tokens" ? { ...trigger, maxTokens } : trigger)),
    triggerTokens: maxTokens,
    tail: { ...settings.tail, otherwiseTokens: scaleTail(settings, maxTokens) },
  };
}

/** Leaves room for the summary. A tail that was set explicitly never grows; it shrinks to that room if needed. */
function scaleTail({ tail, triggerTokens = 0, summary }: PlanSettings, maxTokens: number): number | undefined {
  const { otherwiseTokens } = tail;
  if (otherwiseTokens === undefined) return undefined;
  const roomTokens = Math.max(0, maxTokens - summary.maxTokens);
  return otherwiseTokens === triggerTokens - summary.maxTokens ? roomTokens : Math.min(otherwiseTokens, roomTokens);
}

/** Lets only the summary of an agent's work exceed its share: it needs many names, unlike one of a plain chat. */
export function adaptSettingsToView(settings: PlanSettings, { head, messages }: View): PlanSettings {
  if (settings.summary.smallTokens === 0) return settings;
  const shown = messages.map(({ message }) => message);
  return adaptSettingsToKind(settings, findConversationKind(shown, head.summary));
}

export function adaptSettingsToKind(settings: PlanSettings, kind: ConversationKind): PlanSettings {
  if (kind === "work" || settings.summary.smallTokens === 0) return settings;
  return { ...settings, summary: { ...settings.summary, smallTokens: 0 } };
}

/** In a small prompt, the target leaves at least this share of the limit to the tail. */
const TAIL_SHARE = 0.2;

export function computeTargetTokens(
  { targetRatio, summary }: Pick<PlanSettings, "targetRatio" | "summary">,
  limitTokens: number,
): number {
  const asked = Math.floor(limitTokens * targetRatio);
  if (summary.smallTokens === 0) return asked;
  const least = summaryCap(summary, limitTokens) + Math.floor(limitTokens * TAIL_SHARE);
  return Math.max(asked, Math.min(least, limitTokens));
}

/** Whether the policy hides or prunes messages in every prompt, without writing to the log. */
export function changesView({ visible, prune }: PlanSettings): boolean {
  return visible !== undefined || prune.inLoop === true;
}
