/** Whether a session should be compacted now: what is known of it, asked by the policy's triggers. */
import { computeBudget } from "../core/budget/budget.ts";
import { costInInputTokens, type GateVerdict, weighCompaction } from "../core/plan/economic-gate.ts";
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import type { Proposal } from "../core/plan/proposal.ts";
import { decideNeed, type NeedDecision } from "../core/plan/triggers/decide-need.ts";
import { type RatioTrigger, STANDING_TRIGGERS } from "../core/plan/triggers/trigger.ts";
import { holdsSoft, type RefusalFacts, type TriggerFacts } from "../core/plan/triggers/trigger-facts.ts";
import { updateArmed } from "../core/plan/triggers/update-armed.ts";
import { applyCalibration } from "../core/tokens/calibration.ts";
import type { OwnPrompt } from "../ports/summarizer.ts";
import type { Conversation } from "./conversation.ts";
import type { WeighedWorkspace } from "./look-at-workspace.ts";
import { countNow, type Limits, type Measure } from "./prompt-size.ts";

export interface Moment {
  readonly conversation: Conversation;
  /** What a prompt may take before something is done about it. */
  readonly limits: Limits;
  /** What it may take at all. */
  readonly fullLimits: Limits;
  readonly measure: Measure;
  /** What is shown beside the conversation, as the next prompt would show it. */
  readonly workspace?: WeighedWorkspace | undefined;
  readonly settings: PlanSettings;
  readonly now: number;
  /** Tokens of the whole prompt. */
  readonly promptTokens: number;
  /** The prompt as the provider may still have it in its cache; undefined where its model is not known. */
  readonly ownPrompt?: (() => OwnPrompt) | undefined;
  readonly refusal?: RefusalFacts | undefined;
  readonly isAsked?: boolean | undefined;
}

export interface FoundNeed extends NeedDecision {
  readonly facts: TriggerFacts;
  /** Whether a compaction by ratio could act again; kept with the request. */
  readonly armed: boolean;
}

/** What can wait is asked for only in the policy's own phase. */
export function findNeed(moment: Moment, isInPhase: boolean): FoundNeed {
  const { settings, conversation } = moment;
  const facts = readFacts(moment);
  const armed = rearm(moment, facts);
  const triggers = isInPhase ? settings.triggers : [];
  const switches = { enabled: settings.enabled, holdSoft: holdsSoft(conversation.head) };
  const decision = decideNeed({ ...facts, armed }, [...triggers, ...STANDING_TRIGGERS], switches);
  return { ...decision, facts, armed };
}

function readFacts({
  conversation,
  limits,
  measure,
  now,
  promptTokens,
  refusal,
  isAsked = false,
  settings,
}: Moment): TriggerFacts {
  const { head } = conversation;
  const last = head.requests.at(-1);
  const { surroundings, calibration } = measure;
  const preamble = conversation.assembler.sectionTokens("instructions");
  // What a workspace shows is no more part of the conversation than instructions are.
  const aroundTokens = surroundings.instructionsTokens + surroundings.workspaceTokens + preamble;
  const instructionsTokens = applyCalibration(calibration, aroundTokens);
  const toolsTokens = applyCalibration(calibration, surroundings.toolsTokens);
  const { windowTokens, reserveTokens, limitTokens } = limits;
  const { budgetTokens } = computeBudget({ windowTokens, reserveTokens, instructionsTokens, toolsTokens });
  const compactedThrough = head.compactedThroughSeq;
  const calibrated = Math.max(0, promptTokens - instructionsTokens - toolsTokens);
  return {
    ...conversation.facts,
    promptTokens,
    conversationTokens: settings.counter === undefined ? calibrated : countConversation(conversation, measure),
    windowTokens,
    budgetTokens,
    limitTokens,
    messagesSinceCompaction: compactedThrough === 0 ? undefined : conversation.countAfter(compactedThrough),
    armed: head.armed,
    idleMs: last === undefined ? undefined : Math.max(0, now - last.at),
    cacheTtlMs: limits.info.cache.ttlMs,
    refusal,
    isAsked,
  };
}

/** A policy with a counter of its own chose its numbers by it, whatever a provider makes of the same words. */
function countConversation({ assembler }: Conversation, { surroundings }: Measure): number {
  const { instructionsTokens, toolsTokens, workspaceTokens } = surroundings;
  const around = instructionsTokens + toolsTokens + workspaceTokens + assembler.sectionTokens("instructions");
  return countNow(assembler, surroundings) - around;
}

function rearm({ settings, conversation }: Moment, facts: TriggerFacts): boolean {
  const trigger = settings.triggers.find((candidate): candidate is RatioTrigger => candidate.type === "ratio");
  const { armed } = conversation.head;
  return trigger === undefined ? armed : updateArmed({ armed }, { trigger, facts, hasCompacted: false }).armed;
}

/** Whether a proposal pays for itself now. `costUsd` is what making it costs or did cost. */
export function weighProposal(
  { weight, tokensAfter }: Pick<Proposal, "weight" | "tokensAfter">,
  {
    conversation,
    limits,
    facts,
    costUsd,
  }: Pick<Moment, "conversation" | "limits"> & {
    readonly facts: TriggerFacts;
    readonly costUsd: number;
  },
): GateVerdict {
  const { requestCount, grownTokens } = conversation.head;
  const { prices, cache } = limits.info;
  return weighCompaction({
    ...weight,
    summarizerCost: prices === undefined ? 0 : costInInputTokens(costUsd, prices.input),
    requestsSoFar: requestCount,
    limitTokens: limits.limitTokens,
    afterTokens: tokensAfter,
    meanGrowthTokens: requestCount > 1 ? grownTokens / (requestCount - 1) : 0,
    idleMs: facts.idleMs,
    prices: prices === undefined ? undefined : cache,
  });
}

/**
 * Whether it is time to look at what could wait: the prompt has grown by a step since the one before it, or its cache
 * has gone cold. What is looked at costs the view, so it is not looked at in every turn.
 */
export function isTimeToLook({ conversation, limits, measure, promptTokens }: Moment, facts: TriggerFacts): boolean {
  const last = conversation.head.requests.at(-1);
  if (last === undefined || facts.idleMs === undefined || facts.idleMs > facts.cacheTtlMs) return true;
  const step = Math.max(1, limits.limitTokens * LOOK_STEP);
  const before = applyCalibration(measure.calibration, last.countedTokens);
  return Math.floor(promptTokens / step) !== Math.floor(before / step);
}

const LOOK_STEP = 0.02;

export function isNearlyFull({ promptTokens, limits, settings }: Moment): boolean {
  return promptTokens >= limits.limitTokens * (settings.background?.applyRatio ?? 1);
}
