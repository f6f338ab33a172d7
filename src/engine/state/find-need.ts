/** Whether a session should be compacted now: what is known of it, asked by the policy's triggers. */
import { computeBudget } from "../../core/budget/budget.ts";
import type { View } from "../../core/log/view.ts";
import { callIds, type Message } from "../../core/message/message.ts";
import {
  convertToInputTokens,
  type GateVerdict,
  priceThinking,
  weighCompaction,
} from "../../core/plan/economic-gate.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { Proposal } from "../../core/plan/proposal.ts";
import { updateArmed } from "../../core/plan/triggers/check-trigger.ts";
import { decideNeed, type NeedDecision } from "../../core/plan/triggers/decide-need.ts";
import { type RatioTrigger, STANDING_TRIGGERS } from "../../core/plan/triggers/trigger.ts";
import { isSoftHeld, type RefusalFacts, type TriggerFacts } from "../../core/plan/triggers/trigger-facts.ts";
import type { AssembledPrompt } from "../../core/prompt/assemble-prompt.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import type { OwnPrompt } from "../../ports/summarizer.ts";
import { countNow, type Limits, type Measure } from "../context/prompt-size.ts";
import type { WeighedWorkspace } from "../workspace/weighed-workspace.ts";
import type { Conversation } from "./conversation.ts";
import type { PreservedPrompt } from "./preserve-thinking.ts";

export interface SessionSnapshot {
  readonly conversation: Conversation;
  /** The prompt as it would be sent, without thinking that its model would refuse. */
  readonly preserved: PreservedPrompt;
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

export interface SessionNeed extends NeedDecision {
  readonly facts: TriggerFacts;
  /** Whether a compaction by ratio could act again; kept with the request. */
  readonly armed: boolean;
}

/** What can wait is asked for only in the policy's own phase. */
export function findNeed(snapshot: SessionSnapshot, isInPhase: boolean): SessionNeed {
  const { settings, conversation } = snapshot;
  const facts = readFacts(snapshot);
  const armed = rearm(snapshot, facts);
  const triggers = isInPhase ? settings.triggers : [];
  const switches = { enabled: settings.enabled, holdSoft: isSoftHeld(conversation.head) };
  const decision = decideNeed({ ...facts, armed }, [...triggers, ...STANDING_TRIGGERS], switches);
  return { ...decision, facts, armed };
}

function readFacts({
  conversation,
  preserved: { assembled },
  limits,
  measure,
  now,
  promptTokens,
  refusal,
  isAsked = false,
  settings,
}: SessionSnapshot): TriggerFacts {
  const { head } = conversation;
  const last = head.requests.at(-1);
  const { surroundings, calibration } = measure;
  const preamble = assembled.sectionTokens("instructions");
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
    conversationTokens: settings.counter === undefined ? calibrated : countConversation(assembled, measure),
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
function countConversation(assembled: AssembledPrompt, { surroundings }: Measure): number {
  const { instructionsTokens, toolsTokens, workspaceTokens } = surroundings;
  const around = instructionsTokens + toolsTokens + workspaceTokens + assembled.sectionTokens("instructions");
  return countNow(assembled, surroundings) - around;
}

function rearm({ settings, conversation }: SessionSnapshot, facts: TriggerFacts): boolean {
  const trigger = settings.triggers.find((candidate): candidate is RatioTrigger => candidate.type === "ratio");
  const { armed } = conversation.head;
  return trigger === undefined ? armed : updateArmed({ armed }, { trigger, facts, hasCompacted: false }).armed;
}

/** Whether a proposal pays for itself now. `costUsd` is what making it costs or did cost. */
export function weighProposal(
  { weight, tokensAfter }: Pick<Proposal, "weight" | "tokensAfter">,
  snapshot: SessionSnapshot,
  { facts, costUsd }: { readonly facts: TriggerFacts; readonly costUsd: number },
): GateVerdict {
  const { conversation, limits } = snapshot;
  const { requestCount, grownTokens } = conversation.head;
  const { prices, cache } = limits.info;
  return weighCompaction({
    ...weight,
    summarizerCost: prices === undefined ? 0 : convertToInputTokens(costUsd, prices.input),
    lostThinking: priceThinking(countOpenThinking(snapshot), prices),
    requestsSoFar: requestCount,
    limitTokens: limits.limitTokens,
    afterTokens: tokensAfter,
    meanGrowthTokens: requestCount > 1 ? grownTokens / (requestCount - 1) : 0,
    idleMs: facts.idleMs,
    prices: prices === undefined ? undefined : cache,
  });
}

/**
 * Tokens of the thinking that any change of the past takes from the turn that is still worked on. 0 where the model
 * takes thinking back whatever stands before it, and between turns.
 */
export function countOpenThinking({ preserved, measure }: SessionSnapshot): number {
  if (measure.thinking === undefined) return 0;
  // Notes stand between the messages and begin no turn.
  const items = preserved.assembled.items.filter(({ sources }) => sources.length > 0);
  const last = items.at(-1)?.message;
  if (last === undefined || last.role === "user" || endsTurn(last)) return 0;
  const open = items.slice(items.findLastIndex(({ message }) => message.role === "user") + 1);
  const parts = open.flatMap(({ message }) => message.parts.filter(({ type }) => type === "reasoning"));
  return parts.reduce((sum, part) => sum + measure.counts.countPart(part), 0);
}

/** The view with the tokens of what is sent of each message. */
export function viewToSend({ conversation, preserved, measure }: SessionSnapshot): View {
  const { view } = conversation;
  if (measure.thinking === undefined) return view;
  const { items } = preserved.assembled;
  const sent = new Map(items.flatMap(({ sources, tokens }) => sources.map((source) => [source, tokens])));
  const messages = view.messages.map((item) => {
    const tokens = sent.get(item.shown) ?? item.tokens;
    return tokens >= item.tokens ? item : { ...item, tokens };
  });
  return { ...view, messages };
}

function endsTurn(last: Message): boolean {
  return last.role === "assistant" && callIds(last).length === 0;
}

/**
 * Whether it is time to look at what could wait: the prompt has grown by a step since the one before it, or its cache
 * has gone cold. What is looked at costs the view, so it is not looked at in every turn.
 */
export function isTimeToLook(
  { conversation, limits, measure, promptTokens }: SessionSnapshot,
  facts: TriggerFacts,
): boolean {
  const last = conversation.head.requests.at(-1);
  if (last === undefined || facts.idleMs === undefined || facts.idleMs > facts.cacheTtlMs) return true;
  const step = Math.max(1, limits.limitTokens * LOOK_STEP);
  const before = applyCalibration(measure.calibration, last.countedTokens);
  return Math.floor(promptTokens / step) !== Math.floor(before / step);
}

const LOOK_STEP = 0.02;

export function isNearlyFull({ promptTokens, limits, settings }: SessionSnapshot): boolean {
  return promptTokens >= limits.limitTokens * (settings.background?.applyRatio ?? 1);
}
