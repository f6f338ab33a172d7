/** Finds whether a session needs a compaction: evaluates the policy's triggers on a snapshot. */

import { computeBudget } from "../../core/budget/budget.ts";
import type { Head } from "../../core/log/head.ts";
import { countRecalled, type ViewNote } from "../../core/log/view.ts";
import type { CompactionNeed } from "../../core/plan/compaction-need.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { Proposal } from "../../core/plan/proposal.ts";
import { updateArmed } from "../../core/plan/triggers/check-trigger.ts";
import { decideNeed, type NeedDecision } from "../../core/plan/triggers/decide-need.ts";
import { BUILT_IN_TRIGGERS, type RatioTrigger, type TriggerType } from "../../core/plan/triggers/trigger.ts";
import { areSoftTriggersHeld, type RefusalFacts, type TriggerFacts } from "../../core/plan/triggers/trigger-facts.ts";
import type { AssembledPrompt } from "../../core/prompt/assemble-prompt.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import type { OwnPrompt, Summarizer } from "../../ports/summarizer.ts";
import type { CompactionPhase, SummaryAttempt } from "../context/events.ts";
import { countAssembled, type Limits, type Measure } from "../context/prompt-request.ts";
import type { WeighedWorkspace } from "../workspace/workspace-content.ts";
import type { Conversation } from "./conversation.ts";
import type { PreservedPrompt } from "./preserve-thinking.ts";

/** A session at one moment, measured for a request. Every decision starts from one. */
export interface SessionSnapshot {
  readonly conversation: Conversation;
  /** The prompt as it would be sent, without thinking that the model would refuse. */
  readonly preserved: PreservedPrompt;
  readonly limits: Limits;
  /** Limits of the model and the policy. */
  readonly fullLimits: Limits;
  readonly measure: Measure;
  readonly workspace?: WeighedWorkspace | undefined;
  readonly settings: PlanSettings;
  readonly now: number;
  readonly promptTokens: number;
  /** Tokens of the prompt that are passages recalled for earlier prompts. */
  readonly recalledTokens: number;
  /** Recalled passages that are left out, because the prompt fits without them and not with them. */
  readonly omittedRecalls?: readonly ViewNote[] | undefined;
  /** Returns the prompt that the provider may have cached; undefined for an unknown model. */
  readonly ownPrompt?: (() => OwnPrompt) | undefined;
  readonly refusal?: RefusalFacts | undefined;
  readonly isAsked?: boolean | undefined;
}

export interface SessionNeed extends NeedDecision {
  readonly facts: TriggerFacts;
  /** Whether a ratio trigger may fire again; stored with the request. */
  readonly armed: boolean;
}

/** Soft triggers are evaluated only in the policy's own phase. */
export function findNeed(snapshot: SessionSnapshot, isInPhase: boolean): SessionNeed {
  const { settings, conversation } = snapshot;
  const facts = readFacts(snapshot);
  const armed = rearm(snapshot, facts);
  const triggers = isInPhase ? settings.triggers : [];
  const switches = { enabled: settings.enabled, holdSoft: areSoftTriggersHeld(conversation.head) };
  const decision = decideNeed({ ...facts, armed }, [...triggers, ...BUILT_IN_TRIGGERS], switches);
  return { ...decision, facts, armed };
}

function readFacts({
  conversation,
  preserved: { assembled },
  limits,
  measure,
  now,
  promptTokens,
  recalledTokens,
  refusal,
  isAsked = false,
  settings,
}: SessionSnapshot): TriggerFacts {
  const { head } = conversation;
  const last = head.requests.at(-1);
  const { surroundings, calibration } = measure;
  const preamble = assembled.sectionTokens("instructions");
  // Like instructions, a workspace is not part of the conversation.
  const surroundingTokens = surroundings.instructionsTokens + surroundings.workspaceTokens + preamble;
  const instructionsTokens = applyCalibration(calibration, surroundingTokens);
  const toolsTokens = applyCalibration(calibration, surroundings.toolsTokens);
  const { windowTokens, reserveTokens, limitTokens } = limits;
  const { budgetTokens } = computeBudget({ windowTokens, reserveTokens, instructionsTokens, toolsTokens });
  const compactedThrough = head.compactedThroughSeq;
  // Recalled passages leave with the next compaction, and never cause it.
  const calibrated = promptTokens - instructionsTokens - toolsTokens - recalledTokens;
  const counted = countConversation(assembled, measure) - countRecalled(conversation.view, conversation.counts);
  return {
    ...conversation.facts,
    promptTokens,
    conversationTokens: Math.max(0, settings.counter === undefined ? calibrated : counted),
    windowTokens,
    budgetTokens,
    limitTokens,
    messagesSinceCompaction: compactedThrough === 0 ? undefined : conversation.countAfter(compactedThrough),
    armed: head.armed,
    sinceRequestMs: last === undefined ? undefined : Math.max(0, now - last.at),
    cacheTtlMs: limits.info.cache.ttlMs,
    refusal,
    isAsked,
  };
}

/** Uses raw counts for a policy with a counter of its own, because its figures were chosen by that counter. */
function countConversation(assembled: AssembledPrompt, { surroundings }: Measure): number {
  const { instructionsTokens, toolsTokens, workspaceTokens } = surroundings;
  const around = instructionsTokens + toolsTokens + workspaceTokens + assembled.sectionTokens("instructions");
  return countAssembled(assembled, surroundings) - around;
}

function rearm({ settings, conversation }: SessionSnapshot, facts: TriggerFacts): boolean {
  const trigger = settings.triggers.find((candidate): candidate is RatioTrigger => candidate.type === "ratio");
  const { armed } = conversation.head;
  return trigger === undefined ? armed : updateArmed({ armed }, { trigger, facts, hasCompacted: false }).armed;
}

/** Counts the tokens of the prompt without passages recalled for earlier prompts. */
export function countUnrecalled({ promptTokens, recalledTokens }: SessionSnapshot): number {
  return promptTokens - recalledTokens;
}

/** Whether the provider still has the session's last prompt in its cache. */
export function isCacheWarm({ requests }: Head, { limits, now }: Pick<SessionSnapshot, "limits" | "now">): boolean {
  const last = requests.at(-1);
  return last !== undefined && now - last.at <= limits.info.cache.ttlMs;
}

type NeedOptions =
  | "urgency"
  | "reason"
  | "atDepthCap"
  | "tailMessages"
  | "isSecondPass"
  | "mayShed"
  | "isFrozen"
  | "isPriced";

export interface CompactOptions
  extends Pick<SessionSnapshot, "limits" | "measure" | "settings" | "ownPrompt">,
    Pick<CompactionNeed, NeedOptions> {
  readonly phase: CompactionPhase;
  readonly triggers: readonly TriggerType[];
  /** The writer of summaries: a model with code as its fallback, code alone, or neither. */
  readonly writtenBy: "model" | "code" | "none";
  readonly instructions?: string | undefined;
  /** Overrides the engine's summarizer. */
  readonly summarizer?: Summarizer | undefined;
  /** Why a soft need was acted on now. */
  readonly gate?: GateVerdict | undefined;
}

/** Work on one compaction so far, as reported when the compaction ends. */
export interface CompactionWork {
  readonly options: CompactOptions;
  readonly attempts: readonly SummaryAttempt[];
  readonly durationMs: number;
  /** Fence of the lease; a newer lease makes the work stale. */
  readonly fence?: number | undefined;
}

export interface ProposedCompaction extends CompactionWork {
  readonly proposal: Proposal;
}
