/** Figures for a meter: how full the window is, and how far away the next compaction is. */
import { computeHistoryTokens } from "../../core/budget/budget.ts";
import { computeTargetTokens } from "../../core/plan/adapt-settings.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { Assembler } from "../../core/prompt/assemble-prompt.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import { type AssumedRequest, type Limits, readRequest } from "../context/prompt-request.ts";
import type { SessionSnapshot } from "./find-need.ts";
import { measureRequest } from "./measure-session.ts";
import type { SessionState } from "./session-state.ts";

/** How much of the budget a session's history takes. */
export interface SessionBudget {
  /** Tokens of pins, the live summary and the messages after it. */
  readonly historyTokens: number;
  /** Tokens of the next prompt with instructions, tools and workspace; absent if none can be sent. */
  readonly promptTokens?: number | undefined;
  /** A sixteenth of the model's limit, for reports only. */
  readonly maxHistoryTokens: number;
  readonly maxInputTokens: number;
  readonly remainingTokens: number;
  readonly needsSummary: boolean;
}

/** How near the next compaction is. */
export interface CompactionStatus {
  readonly enabled: boolean;
  readonly triggerTokens: number;
  readonly currentTokens: number;
  /** Percent of the trigger; at 100 a compaction is due. */
  readonly percent: number;
  /** Figures of the live summary; absent if they are unknown. */
  readonly lastSummarization?:
    | { readonly depth: number; readonly messageCount: number; readonly tokenRatio: number }
    | undefined;
}

export interface SessionWindow {
  /** The model's window, and the part of it that is reserved for the reply. */
  readonly windowTokens: number;
  readonly reserveTokens: number;
  /** Compaction can start at the trigger, and makes the prompt no larger than the target. */
  readonly triggerTokens: number;
  readonly targetTokens: number;
}

export interface SessionFigures {
  readonly budget: SessionBudget;
  readonly compaction: CompactionStatus;
  readonly window: SessionWindow;
}

export function describeBudget(snapshot: SessionSnapshot, promptTokens: number | undefined): SessionBudget {
  const { limitTokens } = snapshot.fullLimits;
  const historyTokens = countHistory(snapshot);
  return {
    historyTokens,
    ...(promptTokens === undefined ? {} : { promptTokens }),
    maxHistoryTokens: computeHistoryTokens(limitTokens),
    maxInputTokens: limitTokens,
    remainingTokens: Math.max(0, limitTokens - historyTokens),
    needsSummary: isDue(describeStatus(snapshot)),
  };
}

export function describeStatus(snapshot: SessionSnapshot): CompactionStatus {
  const { settings, fullLimits, conversation } = snapshot;
  const currentTokens = countHistory(snapshot);
  const triggerTokens = findTriggerTokens(settings, fullLimits);
  const percent = triggerTokens === 0 ? 100 : Math.round((currentTokens / triggerTokens) * 1000) / 10;
  const lastSummarization = describeLastSummary(conversation.head.summary);
  return { enabled: settings.enabled, triggerTokens, currentTokens, percent, lastSummarization };
}

export async function readStatus(state: SessionState, as: AssumedRequest | undefined): Promise<CompactionStatus> {
  return describeStatus(await measureRequest(state, readRequest(state.asked, as)));
}

export function describeWindow({ settings, fullLimits }: SessionSnapshot): SessionWindow {
  const { windowTokens, reserveTokens, limitTokens } = fullLimits;
  const targetTokens = computeTargetTokens(settings, limitTokens);
  return { windowTokens, reserveTokens, triggerTokens: findTriggerTokens(settings, fullLimits), targetTokens };
}

/** A ratio may refer to the window or to the limit. */
export function findTriggerTokens(settings: PlanSettings, limits: Limits): number {
  if (settings.triggerTokens !== undefined) return settings.triggerTokens;
  const isOfWindow = settings.triggers.some((trigger) => trigger.type === "ratio" && trigger.of === "window");
  return Math.floor((isOfWindow ? limits.windowTokens : limits.limitTokens) * settings.triggerRatio);
}

function describeLastSummary(summary: SummaryRecord | undefined): CompactionStatus["lastSummarization"] {
  if (summary?.messageCount === undefined || summary.tokenRatio === undefined) return undefined;
  const { depth, messageCount, tokenRatio } = summary;
  return { depth, messageCount, tokenRatio };
}

export function isDue({ enabled, triggerTokens, currentTokens }: CompactionStatus): boolean {
  return enabled && currentTokens > triggerTokens;
}

function countHistory({ conversation, measure }: SessionSnapshot): number {
  return applyCalibration(measure.calibration, countSections(conversation.assembler));
}

/** Counts summary, pins and history, without the instructions at the start. */
export function countSections(assembler: Assembler): number {
  const sections = (["summary", "pinned", "history"] as const).map((name) => assembler.sectionTokens(name));
  return sections.reduce((sum, tokens) => sum + tokens, 0);
}
