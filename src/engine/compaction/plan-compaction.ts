/** Plans a compaction: its options, the need that the planner works on, and whether an optional one is worthwhile. */
import { countOwnTokens } from "../../core/log/fold-entry.ts";
import { hideRecalls, type View } from "../../core/log/view.ts";
import { listCallIds, type Message } from "../../core/message/message.ts";
import { adaptSettingsToView, computeTargetTokens } from "../../core/plan/adapt-settings.ts";
import type { CompactionNeed } from "../../core/plan/compaction-need.ts";
import {
  convertToInputTokens,
  type GateVerdict,
  priceThinking,
  weighCompaction,
} from "../../core/plan/economic-gate.ts";
import { estimateFold, type FoldEstimate } from "../../core/plan/fold-oldest.ts";
import type { Proposal } from "../../core/plan/proposal.ts";
import type { SummaryTask } from "../../core/plan/staircase.ts";
import { findDepthCap } from "../../core/plan/triggers/check-trigger.ts";
import type { TriggerFacts } from "../../core/plan/triggers/trigger-facts.ts";
import { createFrozenCheck } from "../../core/prompt/tiers/tier-table.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import type { CompactionPhase } from "../context/events.ts";
import { describeFloor, estimateInSteps, estimatePrompt } from "../context/prompt-request.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import {
  type CompactOptions,
  countUnrecalled,
  isCacheWarm,
  type SessionNeed,
  type SessionSnapshot,
} from "../state/find-need.ts";
import type { SessionState } from "../state/session-state.ts";

/** A compaction that the policy or the caller requests, with the snapshot that it is planned on. */
export interface CompactionTask {
  readonly snapshot: SessionSnapshot;
  readonly need: SessionNeed;
  readonly phase: CompactionPhase;
  readonly instructions?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The caller that waits for it; undefined for work in the background. */
  readonly waiting?: CallerWait | undefined;
}

export function createCompactOptions({ snapshot, need, phase, instructions }: CompactionTask): CompactOptions {
  const { limits, measure, settings } = snapshot;
  const pressing = need.fired.filter((firing) => firing.need === need.need);
  const urgency = need.need === "hard" ? "hard" : "soft";
  const ownCap = pressing.find(({ atDepthCap }) => atDepthCap !== undefined)?.atDepthCap;
  return {
    limits,
    measure,
    settings,
    urgency,
    phase,
    triggers: need.fired.map(({ type }) => type),
    reason: pressing.map(({ reason }) => reason).join("; "),
    atDepthCap: ownCap ?? findDepthCap(settings.triggers, { facts: need.facts, need: urgency }),
    writtenBy: settings.enabled ? "model" : "none",
    mayShed: phase === "pre-request" && (snapshot.workspace?.gathered.files.length ?? 0) > 0,
    isFrozen: findFrozenMessages(snapshot),
    instructions,
    ownPrompt: snapshot.ownPrompt,
  };
}

/** Whether the compaction may call a summarizer or a topic detector. */
export function mayCallModel({ context, late }: SessionState, options: CompactOptions): boolean {
  // Only one call may run at a time.
  if (late.isRunning) return false;
  const { writtenBy, settings, summarizer = context.summarizerFor?.(settings) } = options;
  const hasModel = summarizer !== undefined || settings.topics.mode === "first";
  return writtenBy === "model" && hasModel;
}

/** While the provider's cache is warm, messages of the first tiers are not pruned. */
function findFrozenMessages({ conversation, limits, now }: SessionSnapshot): CompactOptions["isFrozen"] {
  const { head } = conversation;
  if (head.tiers === undefined || !isCacheWarm(head, { limits, now })) return undefined;
  return createFrozenCheck(head.tiers);
}

export function createNeed(view: View, options: CompactOptions): CompactionNeed {
  const { limits, measure, writtenBy } = options;
  const settings = adaptSettingsToView(options.settings, view);
  const known = new WeakMap<View, number>();
  return {
    ...options,
    settings,
    limitTokens: limits.limitTokens,
    targetTokens: computeTargetTokens(settings, limits.limitTokens),
    maySummarize: writtenBy !== "none",
    measure: (candidate: View) => known.get(candidate) ?? estimatePrompt(candidate, measure),
    *measureAhead(candidate: View) {
      known.set(candidate, yield* estimateInSteps(candidate, measure));
    },
    uncalibrate: (tokens: number) => Math.floor(tokens / measure.calibration.factor),
    count: measure.counts.count,
    countPart: measure.counts.countPart,
    countAhead: (message: Message) => measure.counts.countInSteps(message),
    describeFloor: (candidate: View) => describeFloor(candidate, measure),
  };
}

export function estimateProposal(view: View, promptTokens: number, options: CompactOptions): FoldEstimate | undefined {
  return estimateFold(view, promptTokens, createNeed(view, options));
}

export interface FoldVerdict {
  /** Undefined if there is nothing to fold. */
  readonly gate?: GateVerdict | undefined;
  readonly isWorthwhile: boolean;
}

export function weighFoldByCode(snapshot: SessionSnapshot, need: SessionNeed, options: CompactOptions): FoldVerdict {
  const estimate = estimateProposal(countAsSent(snapshot), countUnrecalled(snapshot), options);
  if (estimate === undefined) return { isWorthwhile: false };
  const gate = weighProposal(estimate, snapshot, { facts: need.facts, costUsd: 0 });
  return { gate, isWorthwhile: isSavingEnough(gate, snapshot) || isLastChance(snapshot, estimate) };
}

export function weighFold(
  state: SessionState,
  { snapshot, need }: Pick<CompactionTask, "snapshot" | "need">,
  options: CompactOptions,
): FoldVerdict {
  if (!mayCallModel(state, options)) return weighFoldByCode(snapshot, need, options);
  const found = weighFoldByModel(state, { snapshot, need }, options);
  if (found === undefined) return { isWorthwhile: false };
  const { gate, estimate } = found;
  return { gate, isWorthwhile: isSavingEnough(gate, snapshot) || isLastChance(snapshot, estimate) };
}

export function weighFoldByModel(
  { context }: SessionState,
  { snapshot, need }: Pick<CompactionTask, "snapshot" | "need">,
  options: CompactOptions,
): { readonly gate: GateVerdict; readonly estimate: FoldEstimate } | undefined {
  const estimate = estimateProposal(countAsSent(snapshot), countUnrecalled(snapshot), options);
  if (estimate === undefined) return undefined;
  const { counter } = options.measure.counts;
  const task: Pick<SummaryTask, "stretch" | "previous" | "capTokens"> = {
    ...estimate,
    previous: snapshot.conversation.head.summary,
  };
  const costUsd = context.summarizerFor?.(options.settings)?.estimateCost({ ...task, counter }) ?? 0;
  return { gate: weighProposal(estimate, snapshot, { facts: need.facts, costUsd }), estimate };
}

/** Whether an optional fold by code is worthwhile now. */
export function isFoldWorthwhile(snapshot: SessionSnapshot, need: SessionNeed, options: CompactOptions): boolean {
  if (!snapshot.settings.gate && countOpenThinking(snapshot) === 0) return true;
  return shouldEvaluateGate(snapshot, need.facts) && weighFoldByCode(snapshot, need, options).isWorthwhile;
}

/** Evaluates the gate for a proposal. `costUsd` is the cost of its summary, or 0 if it is paid already. */
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
    sinceRequestMs: facts.sinceRequestMs,
    prices: prices === undefined ? undefined : cache,
  });
}

/** Each fold of a summary loses detail, so a small saving waits until it has grown. */
export function isSavingEnough({ acts, terms }: GateVerdict, { limits }: SessionSnapshot): boolean {
  return acts && terms.removedTokens - terms.addedTokens >= limits.limitTokens * MIN_SAVED;
}

const MIN_SAVED = 0.1;

export function describeHold({ acts }: GateVerdict): string {
  return acts ? "Too little would be saved." : "A compaction does not pay for itself yet.";
}

/** Whether the prompt is nearly full and a fold would reach the target without losing thinking of an open turn. */
function isLastChance(snapshot: SessionSnapshot, { tokensAfter }: Pick<FoldEstimate, "tokensAfter">): boolean {
  if (!isNearlyFull(snapshot) || countOpenThinking(snapshot) > 0) return false;
  const settings = adaptSettingsToView(snapshot.settings, snapshot.conversation.view);
  return tokensAfter <= computeTargetTokens(settings, snapshot.limits.limitTokens);
}

export function isNearlyFull(snapshot: SessionSnapshot): boolean {
  const { limits, settings } = snapshot;
  return countUnrecalled(snapshot) >= limits.limitTokens * (settings.background?.applyRatio ?? 1);
}

/** Whether the prompt has reached the middle between `prepareRatio` and `applyRatio`. */
export function isFilling(snapshot: SessionSnapshot): boolean {
  const { limits, settings } = snapshot;
  const { background } = settings;
  if (background === undefined) return false;
  return countUnrecalled(snapshot) >= (limits.limitTokens * (background.prepareRatio + background.applyRatio)) / 2;
}

/** Counts the thinking tokens that a change of the past removes from an open turn; 0 if the model binds none. */
export function countOpenThinking({ preserved, measure }: SessionSnapshot): number {
  if (measure.thinking === undefined) return 0;
  // Notes are between messages and start no turn.
  const items = preserved.assembled.items.filter(({ sources }) => sources.length > 0);
  const last = items.at(-1)?.message;
  if (last === undefined || last.role === "user" || endsTurn(last)) return 0;
  const open = items.slice(items.findLastIndex(({ message }) => message.role === "user") + 1);
  const parts = open.flatMap(({ message }) => message.parts.filter(({ type }) => type === "reasoning"));
  return parts.reduce((sum, part) => sum + measure.counts.countPart(part), 0);
}

function endsTurn(last: Message): boolean {
  return last.role === "assistant" && listCallIds(last).length === 0;
}

/** Returns the view as the model receives it, without recalled passages, whose tokens a fold does not save. */
function countAsSent({ conversation, preserved, measure }: SessionSnapshot): View {
  const view = { ...conversation.view, notes: hideRecalls(conversation.view.notes) };
  if (measure.thinking === undefined) return view;
  const { items } = preserved.assembled;
  const sent = new Map(items.flatMap(({ sources, tokens }) => sources.map((source) => [source, tokens])));
  const messages = view.messages.map((item) => {
    const tokens = sent.get(item.shown) ?? item.tokens;
    return tokens >= item.tokens ? item : { ...item, tokens };
  });
  return { ...view, messages };
}

/** Whether to evaluate the gate: only after growth or with a cold cache, because it costs a pass over the view. */
export function shouldEvaluateGate(snapshot: SessionSnapshot, facts: TriggerFacts): boolean {
  const { conversation, limits, measure } = snapshot;
  const last = conversation.head.requests.at(-1);
  if (last === undefined || facts.sinceRequestMs === undefined || facts.sinceRequestMs > facts.cacheTtlMs) return true;
  const step = Math.max(1, limits.limitTokens * WEIGH_STEP);
  const before = applyCalibration(measure.calibration, countOwnTokens(last));
  return Math.floor(countUnrecalled(snapshot) / step) !== Math.floor(before / step);
}

const WEIGH_STEP = 0.02;
