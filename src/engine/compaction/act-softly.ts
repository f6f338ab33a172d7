/**
 * What can wait: done when it pays for itself, or when it will soon have to be. Code works at once; a model is asked
 * while others go on, except where the cache is cold, which is the cheapest snapshot there is.
 */

import { adaptSettingsToView, computeTargetTokens } from "../../core/plan/adapt-settings.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import { NOTHING_TO_FOLD } from "../../core/plan/fold-oldest.ts";
import type { SummaryTask } from "../../core/plan/staircase.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import {
  countOpenThinking,
  isNearlyFull,
  isTimeToLook,
  type SessionNeed,
  type SessionSnapshot,
  viewToSend,
  weighProposal,
} from "../state/find-need.ts";
import { NO_LEASE } from "../state/hold-lease.ts";
import { IS_PREPARING, LAST_TRY_FAILED } from "../state/preparation.ts";
import type { SessionState } from "../state/session-state.ts";
import { estimateProposal, propose } from "./compact.ts";
import {
  type CompactionOutcome,
  type CompactionTask,
  compactNow,
  createCompactOptions,
  settleProposal,
} from "./compact-now.ts";
import { prepareUnderLease } from "./prepare-compaction.ts";
import { emitStart, mayAskModel } from "./propose-aloud.ts";

/** Code works at once where that pays; a model is asked where it would, while others go on. */
export async function compactIfWorthwhile(state: SessionState, action: CompactionTask): Promise<CompactionOutcome> {
  const { snapshot, need } = action;
  if (!isTimeToLook(snapshot, need.facts)) return { type: "held", reason: "Little has changed since the last look." };
  if (state.late.isUnderWay) return { type: "held", reason: "Waiting for a late summary." };
  const options = createCompactOptions(action);
  if (mayAskModel(state, options)) return askWhereItPays(state, action, options);
  const { gate, isWorthIt } = weighByCode(snapshot, need, options);
  if (gate === undefined) return { type: "held", reason: NOTHING_TO_FOLD };
  return isWorthIt ? compactNow(state, action, { ...options, gate }) : { type: "held", reason: whyHeld(gate), gate };
}

interface WeighedByCode {
  /** Absent where there is nothing to fold. */
  readonly gate?: GateVerdict | undefined;
  readonly isWorthIt: boolean;
}

/** What code could do now, and whether that pays for itself or will have to be done soon in any case. */
function weighByCode(snapshot: SessionSnapshot, need: SessionNeed, options: CompactOptions): WeighedByCode {
  const estimate = estimateProposal(viewToSend(snapshot), snapshot.promptTokens, options);
  if (estimate === undefined) return { isWorthIt: false };
  const gate = weighProposal(estimate, snapshot, { facts: need.facts, costUsd: 0 });
  return { gate, isWorthIt: pays(gate, snapshot) || isLastChance(snapshot, estimate) };
}

function whyHeld({ acts }: GateVerdict): string {
  return acts ? "Too little would be saved." : "It does not pay for itself yet.";
}

/** A fold of a fold tells less each time, so a small saving is left to grow. */
function pays({ acts, terms }: GateVerdict, { limits }: SessionSnapshot): boolean {
  return acts && terms.removedTokens - terms.addedTokens >= limits.limitTokens * LEAST_SAVED;
}

const LEAST_SAVED = 0.1;

/**
 * Nearly full, and worth doing: what must be done soon is done before it must be. An open turn with thinking that would
 * be lost may end before that.
 */
function isLastChance(snapshot: SessionSnapshot, { tokensAfter }: { readonly tokensAfter: number }): boolean {
  if (!isNearlyFull(snapshot) || countOpenThinking(snapshot) > 0) return false;
  const settings = adaptSettingsToView(snapshot.settings, snapshot.conversation.view);
  return tokensAfter <= computeTargetTokens(settings, snapshot.limits.limitTokens);
}

async function askWhereItPays(
  state: SessionState,
  action: CompactionTask,
  options: CompactOptions,
): Promise<CompactionOutcome> {
  const { snapshot, need } = action;
  const { preparation } = state;
  const { head } = snapshot.conversation;
  const { epoch } = head;
  if (preparation.isTaken(epoch)) return { type: "held", reason: IS_PREPARING };
  if (!preparation.mayTry(epoch, snapshot.promptTokens)) return { type: "held", reason: LAST_TRY_FAILED };
  const pruned = await pruneWherePaying(state, action, options);
  if (pruned !== undefined) return pruned;
  const estimate = estimateProposal(viewToSend(snapshot), snapshot.promptTokens, options);
  if (estimate === undefined) return { type: "held", reason: NOTHING_TO_FOLD };
  const costUsd = estimateCost(state, options, { ...estimate, previous: head.summary });
  const gate = weighProposal(estimate, snapshot, { facts: need.facts, costUsd });
  if (pays(gate, snapshot) && gate.isCold) return compactNow(state, action, { ...options, gate });
  if (!pays(gate, snapshot) && !isFilling(snapshot)) return { type: "held", reason: whyHeld(gate), gate };
  planAhead(state, action, { ...options, phase: "background" });
  return { type: "held", reason: IS_PREPARING, gate };
}

/** Made ready by a job: of this process, which knows what the prompt is made of, or of a worker that looks for itself. */
function planAhead(state: SessionState, action: CompactionTask, options: CompactOptions): void {
  const { preparation, context } = state;
  // The caller of the prompt does not wait for this compaction.
  const behind = { ...action, waiting: undefined };
  if (context.jobs?.runHere === true) preparation.plan(() => prepareUnderLease(state, behind, options));
  void context.jobs?.submit(state.id);
}

/** Placeholders cost nothing to make: where they are enough and pay for the cache, nobody is asked. */
async function pruneWherePaying(
  state: SessionState,
  action: CompactionTask,
  options: CompactOptions,
): Promise<CompactionOutcome | undefined> {
  const { snapshot, need } = action;
  const byCode = { ...options, asks: "nobody", isPriced: true } as const;
  const by = { context: state.context, sessionId: state.id, signal: NO_LEASE.signal };
  const worked = await propose(snapshot.conversation.view, byCode, by);
  if (worked.outcome.type !== "proposal") return undefined;
  const gate = weighProposal(worked.outcome, snapshot, { facts: need.facts, costUsd: 0 });
  const mayWait = !isNearlyFull(snapshot) || countOpenThinking(snapshot) > 0;
  if (!pays(gate, snapshot) && mayWait) return undefined;
  emitStart(state, options, snapshot);
  return settleProposal(state, { action, options: { ...options, gate }, worked, hold: NO_LEASE });
}

type CostedTask = Pick<SummaryTask, "stretch" | "previous" | "capTokens">;

function estimateCost({ context }: SessionState, { settings, measure }: CompactOptions, task: CostedTask): number {
  const { counter } = measure.counts;
  return context.summarizerFor?.(settings)?.estimateCost({ ...task, counter }) ?? 0;
}

/** Between the share from which on one may be made ready and the one at which it is applied in any case. */
function isFilling({ promptTokens, limits, settings: { background } }: SessionSnapshot): boolean {
  if (background === undefined) return false;
  return promptTokens >= (limits.limitTokens * (background.prepareRatio + background.applyRatio)) / 2;
}

/** Whether what can wait is worth doing now, whoever does it; the gate says what was weighed. */
export function weighAhead(
  state: SessionState,
  { snapshot, need }: CompactionTask,
  options: CompactOptions,
): WeighedByCode {
  if (!mayAskModel(state, options)) return weighByCode(snapshot, need, options);
  const { head } = snapshot.conversation;
  const estimate = estimateProposal(viewToSend(snapshot), snapshot.promptTokens, options);
  if (estimate === undefined) return { isWorthIt: false };
  const costUsd = estimateCost(state, options, { ...estimate, previous: head.summary });
  const gate = weighProposal(estimate, snapshot, { facts: need.facts, costUsd });
  return { gate, isWorthIt: pays(gate, snapshot) || isLastChance(snapshot, estimate) };
}

/** Whether code should fold what can wait now. */
export function isWorthIt(snapshot: SessionSnapshot, need: SessionNeed, options: CompactOptions): boolean {
  if (!snapshot.settings.gate && countOpenThinking(snapshot) === 0) return true;
  return isTimeToLook(snapshot, need.facts) && weighByCode(snapshot, need, options).isWorthIt;
}
