/** The settings as they are for a model of some size: a policy whose token threshold goes with the window gets its number. */
import { thresholdForWindow } from "../budget/budget.ts";
import type { View } from "../log/view.ts";
import { type ConversationKind, seeKind } from "../summary/read/candidate.ts";
import { summaryCap } from "../summary/record/trim-summary.ts";
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

// The settings as they are for what a view shows. Agents at work need many names of a small prompt's past, so that its
// summary may be larger than its share; people who talk are better served by more of what was said last.
export function settingsForView(settings: PlanSettings, { head, messages }: View): PlanSettings {
  if (settings.summary.smallTokens === 0) return settings;
  const said = messages.map(({ message }) => message);
  return settingsForKind(settings, seeKind(said, head.summary));
}

export function settingsForKind(settings: PlanSettings, kind: ConversationKind): PlanSettings {
  if (kind === "work" || settings.summary.smallTokens === 0) return settings;
  return { ...settings, summary: { ...settings.summary, smallTokens: 0 } };
}

// How small a compaction is to make a prompt: the share of the policy, and in a small prompt no less than its summary
// and its tail take together, because giving up either for room that the next message fills says less to nobody's
// gain.
/** The tail of a small prompt is at least so much of it. */
const TAIL_SHARE = 0.2;

export function targetTokensOf(
  { targetRatio, summary }: Pick<PlanSettings, "targetRatio" | "summary">,
  limitTokens: number,
): number {
  const asked = Math.floor(limitTokens * targetRatio);
  if (summary.smallTokens === 0) return asked;
  const least = summaryCap(summary, limitTokens) + Math.floor(limitTokens * TAIL_SHARE);
  return Math.max(asked, Math.min(least, limitTokens));
}

/** Whether a policy sends less than the log shows, request by request. */
export function changesView({ visible, prune }: PlanSettings): boolean {
  return visible !== undefined || prune.inLoop === true;
}
