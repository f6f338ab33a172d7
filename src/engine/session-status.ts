/** Figures for a meter: how full the window is, and how far the next compaction is away. */
import { maxHistoryTokens } from "../core/budget/budget.ts";
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import { targetTokensOf } from "../core/plan/target-tokens.ts";
import type { Assembler } from "../core/prompt/assemble-prompt.ts";
import type { SummaryRecord } from "../core/summary/record.ts";
import { applyCalibration } from "../core/tokens/calibration.ts";
import { breathe } from "./breathe.ts";
import type { Conversation } from "./conversation.ts";
import { readyFor } from "./look-at.ts";
import { requestOf, type SeenAs } from "./prompt-request.ts";
import { calibrationFor, type Limits, shareLimits } from "./prompt-size.ts";
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

export interface SessionWindow {
  /** What the model takes, and what of it is held back for its reply. */
  readonly windowTokens: number;
  readonly reserveTokens: number;
  /** From so many tokens of conversation on a compaction may come, and it makes the prompt no larger than the target. */
  readonly triggerTokens: number;
  readonly targetTokens: number;
}

export async function readBudget(state: SessionState, as: SeenAs | undefined): Promise<SessionBudget> {
  const { limits, historyTokens } = await readSizes(state, as);
  return {
    historyTokens,
    maxHistoryTokens: maxHistoryTokens(limits.limitTokens),
    maxInputTokens: limits.limitTokens,
    remainingTokens: Math.max(0, limits.limitTokens - historyTokens),
    needsSummary: isDue(await readStatus(state, as)),
  };
}

export async function readStatus(state: SessionState, as: SeenAs | undefined): Promise<CompactionStatus> {
  const { limits, settings, historyTokens } = await readSizes(state, as);
  const triggerTokens = findTriggerTokens(settings, shareLimits(limits, settings, 0));
  const percent = triggerTokens === 0 ? 100 : Math.round((historyTokens / triggerTokens) * 1000) / 10;
  const lastSummarization = lastOf((await state.current()).head.summary);
  return { enabled: settings.enabled, triggerTokens, currentTokens: historyTokens, percent, lastSummarization };
}

/** The lines that a prompt is drawn against. */
export async function readWindow(state: SessionState, as: SeenAs | undefined): Promise<SessionWindow> {
  const { limits, settings } = await readyFor(state, requestOf(state, as));
  const { windowTokens, reserveTokens } = limits;
  const shared = shareLimits(limits, settings, 0);
  const targetTokens = targetTokensOf(settings, shared.limitTokens);
  return { windowTokens, reserveTokens, triggerTokens: findTriggerTokens(settings, shared), targetTokens };
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

interface Sizes {
  readonly limits: Limits;
  readonly settings: PlanSettings;
  readonly historyTokens: number;
}

/** By the same limits and the same counter as the prompt that is asked about. */
async function readSizes(state: SessionState, as: SeenAs | undefined): Promise<Sizes> {
  const { limits, settings } = await readyFor(state, requestOf(state, as));
  const conversation = await state.current();
  await breathe(conversation.assembleInSteps());
  return { limits, settings, historyTokens: countHistory(conversation, limits) };
}

function countHistory({ assembler, view }: Conversation, limits: Limits): number {
  return applyCalibration(calibrationFor(view, { limits, model: limits.model }), countSections(assembler));
}

/** All that was said, and what stands for it, without the instructions at its start. */
export function countSections(assembler: Assembler): number {
  const sections = (["summary", "pinned", "history"] as const).map((name) => assembler.sectionTokens(name));
  return sections.reduce((sum, tokens) => sum + tokens, 0);
}
