/** Figures for a meter: how full the window is, and how far the next compaction is away. */
import { maxHistoryTokens } from "../core/budget/budget.ts";
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import type { Assembler } from "../core/prompt/assemble-prompt.ts";
import type { SummaryRecord } from "../core/summary/record.ts";
import { applyCalibration } from "../core/tokens/calibration.ts";
import { breathe } from "./breathe.ts";
import type { Conversation } from "./conversation.ts";
import { calibrationFor, findLimits, type Limits, shareLimits } from "./prompt-size.ts";
import type { SessionState } from "./session-state.ts";

export interface SessionBudget {
  readonly historyTokens: number;
  /** A sixteenth of what the model takes. For reports only; nothing acts on it. */
  readonly maxHistoryTokens: number;
  readonly maxInputTokens: number;
  readonly remainingTokens: number;
  readonly needsSummary: boolean;
}

export interface CompactionStatus {
  readonly enabled: boolean;
  readonly triggerTokens: number;
  readonly currentTokens: number;
  /** Of the trigger; 100 and more means that a compaction is due. */
  readonly percent: number;
  /** Of the summary that is live; absent where there is none, or where nothing is known of how it came about. */
  readonly lastSummarization?:
    | { readonly depth: number; readonly messageCount: number; readonly tokenRatio: number }
    | undefined;
}

export async function readBudget(state: SessionState): Promise<SessionBudget> {
  const { limits, historyTokens } = await readSizes(state);
  return {
    historyTokens,
    maxHistoryTokens: maxHistoryTokens(limits.limitTokens),
    maxInputTokens: limits.limitTokens,
    remainingTokens: Math.max(0, limits.limitTokens - historyTokens),
    needsSummary: isDue(await readStatus(state)),
  };
}

export async function readStatus(state: SessionState): Promise<CompactionStatus> {
  const settings = state.context.settingsFor(state.context.defaults.model);
  const { limits, historyTokens } = await readSizes(state);
  const triggerTokens = findTriggerTokens(settings, shareLimits(limits, settings, 0));
  const percent = triggerTokens === 0 ? 100 : Math.round((historyTokens / triggerTokens) * 1000) / 10;
  const lastSummarization = lastOf((await state.current()).head.summary);
  return { enabled: settings.enabled, triggerTokens, currentTokens: historyTokens, percent, lastSummarization };
}

/** A ratio may be of the window or of what is left of it; without one, what a prompt may take. */
export function findTriggerTokens(settings: PlanSettings, limits: Limits): number {
  if (settings.triggerTokens !== undefined) return settings.triggerTokens;
  const isOfWindow = settings.triggers.some((trigger) => trigger.type === "ratio" && trigger.of === "window");
  return Math.floor((isOfWindow ? limits.windowTokens : limits.limitTokens) * settings.triggerRatio);
}

function lastOf(summary: SummaryRecord | undefined): CompactionStatus["lastSummarization"] {
  if (summary?.messageCount === undefined || summary.tokenRatio === undefined) return undefined;
  const { depth, messageCount, tokenRatio } = summary;
  return { depth, messageCount, tokenRatio };
}

/** History above the trigger is due, unless compaction is switched off. */
export function isDue({ enabled, triggerTokens, currentTokens }: CompactionStatus): boolean {
  return enabled && currentTokens > triggerTokens;
}

async function readSizes(state: SessionState): Promise<{ readonly limits: Limits; readonly historyTokens: number }> {
  const limits = await findLimits(state.context, {});
  const conversation = await state.current();
  await breathe(conversation.assembleInSteps());
  return { limits, historyTokens: countHistory(conversation, limits) };
}

function countHistory({ assembler, view }: Conversation, limits: Limits): number {
  return applyCalibration(calibrationFor(view, { limits, model: limits.model }), countSections(assembler));
}

/** All that was said, and what stands for it, without the instructions at its start. */
export function countSections(assembler: Assembler): number {
  const sections = (["summary", "pinned", "history"] as const).map((name) => assembler.sectionTokens(name));
  return sections.reduce((sum, tokens) => sum + tokens, 0);
}
