/**
 * What can wait: done when it pays for itself, or when it will soon have to be. Code works at once; a model is asked
 * while others go on, except where the cache is cold, which is the cheapest moment there is.
 */

import { settingsForView, targetTokensOf } from "../../core/plan/adapt-settings.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import { NOTHING_TO_FOLD } from "../../core/plan/fold-oldest.ts";
import type { SummaryTask } from "../../core/plan/staircase.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import {
  countOpenThinking,
  type FoundNeed,
  isNearlyFull,
  isTimeToLook,
  type Moment,
  viewToSend,
  weighProposal,
} from "../state/find-need.ts";
import { NO_HOLD } from "../state/hold-lease.ts";
import { IS_PREPARING, LAST_TRY_FAILED } from "../state/preparation.ts";
import type { SessionState } from "../state/session-state.ts";
import { estimateProposal, propose } from "./compact.ts";
import { type Acted, type Action, compactNow, optionsOf, settleWork } from "./compact-now.ts";
import { prepareUnderLease } from "./prepare-compaction.ts";
import { announceStart, asksSomebody } from "./propose-aloud.ts";

/** Code works at once where that pays; a model is asked where it would, while others go on. */
export async function actSoftly(state: SessionState, action: Action): Promise<Acted> {
  const { moment, need } = action;
  if (!isTimeToLook(moment, need.facts)) return { type: "held", reason: "Little has changed since the last look." };
  if (state.late.isUnderWay) return { type: "held", reason: "Waiting for a late summary." };
  const options = optionsOf(action);
  if (asksSomebody(state, options)) return askWhereItPays(state, action, options);
  const { gate, isWorthIt } = weighByCode(moment, need, options);
  if (gate === undefined) return { type: "held", reason: NOTHING_TO_FOLD };
  return isWorthIt ? compactNow(state, action, { ...options, gate }) : { type: "held", reason: whyHeld(gate), gate };
}

interface WeighedByCode {
  /** Absent where there is nothing to fold. */
  readonly gate?: GateVerdict | undefined;
  readonly isWorthIt: boolean;
}

/** What code could do now, and whether that pays for itself or will have to be done soon in any case. */
function weighByCode(moment: Moment, need: FoundNeed, options: CompactOptions): WeighedByCode {
  const estimate = estimateProposal(viewToSend(moment), moment.promptTokens, options);
  if (estimate === undefined) return { isWorthIt: false };
  const gate = weighProposal(estimate, moment, { facts: need.facts, costUsd: 0 });
  return { gate, isWorthIt: pays(gate, moment) || isLastChance(moment, estimate) };
}

function whyHeld({ acts }: GateVerdict): string {
  return acts ? "Too little would be saved." : "It does not pay for itself yet.";
}

/** A fold of a fold tells less each time, so a small saving is left to grow. */
function pays({ acts, terms }: GateVerdict, { limits }: Moment): boolean {
  return acts && terms.removedTokens - terms.addedTokens >= limits.limitTokens * LEAST_SAVED;
}

const LEAST_SAVED = 0.1;

/**
 * Nearly full, and worth doing: what must be done soon is done before it must be. An open turn with thinking that would
 * be lost may end before that.
 */
function isLastChance(moment: Moment, { tokensAfter }: { readonly tokensAfter: number }): boolean {
  if (!isNearlyFull(moment) || countOpenThinking(moment) > 0) return false;
  const settings = settingsForView(moment.settings, moment.conversation.view);
  return tokensAfter <= targetTokensOf(settings, moment.limits.limitTokens);
}

async function askWhereItPays(state: SessionState, action: Action, options: CompactOptions): Promise<Acted> {
  const { moment, need } = action;
  const { preparation } = state;
  const { head } = moment.conversation;
  const { epoch } = head;
  if (preparation.isTaken(epoch)) return { type: "held", reason: IS_PREPARING };
  if (!preparation.mayTry(epoch, moment.promptTokens)) return { type: "held", reason: LAST_TRY_FAILED };
  const pruned = await pruneWherePaying(state, action, options);
  if (pruned !== undefined) return pruned;
  const estimate = estimateProposal(viewToSend(moment), moment.promptTokens, options);
  if (estimate === undefined) return { type: "held", reason: NOTHING_TO_FOLD };
  const costUsd = estimateCost(state, options, { ...estimate, previous: head.summary });
  const gate = weighProposal(estimate, moment, { facts: need.facts, costUsd });
  if (pays(gate, moment) && gate.isCold) return compactNow(state, action, { ...options, gate });
  if (!pays(gate, moment) && !isFilling(moment)) return { type: "held", reason: whyHeld(gate), gate };
  planAhead(state, action, { ...options, phase: "background" });
  return { type: "held", reason: IS_PREPARING, gate };
}

/** Made ready by a job: of this process, which knows what the prompt is made of, or of a worker that looks for itself. */
function planAhead(state: SessionState, action: Action, options: CompactOptions): void {
  const { preparation, context } = state;
  // The caller of the prompt does not wait for this compaction.
  const behind = { ...action, waiting: undefined };
  if (context.jobs?.runHere === true) preparation.plan(() => prepareUnderLease(state, behind, options));
  void context.jobs?.submit(state.id);
}

/** Placeholders cost nothing to make: where they are enough and pay for the cache, nobody is asked. */
async function pruneWherePaying(
  state: SessionState,
  action: Action,
  options: CompactOptions,
): Promise<Acted | undefined> {
  const { moment, need } = action;
  const byCode = { ...options, asks: "nobody", isPriced: true } as const;
  const by = { context: state.context, sessionId: state.id, signal: NO_HOLD.signal };
  const worked = await propose(moment.conversation.view, byCode, by);
  if (worked.outcome.type !== "proposal") return undefined;
  const gate = weighProposal(worked.outcome, moment, { facts: need.facts, costUsd: 0 });
  const mayWait = !isNearlyFull(moment) || countOpenThinking(moment) > 0;
  if (!pays(gate, moment) && mayWait) return undefined;
  announceStart(state, options, moment);
  return settleWork(state, { action, options: { ...options, gate }, worked, hold: NO_HOLD });
}

type CostedTask = Pick<SummaryTask, "stretch" | "previous" | "capTokens">;

function estimateCost({ context }: SessionState, { settings, measure }: CompactOptions, task: CostedTask): number {
  const { counter } = measure.counts;
  return context.summarizerFor?.(settings)?.estimateCost({ ...task, counter }) ?? 0;
}

/** Between the share from which on one may be made ready and the one at which it is applied in any case. */
function isFilling({ promptTokens, limits, settings: { background } }: Moment): boolean {
  if (background === undefined) return false;
  return promptTokens >= (limits.limitTokens * (background.prepareRatio + background.applyRatio)) / 2;
}

/** Whether what can wait is worth doing now, whoever does it; the gate says what was weighed. */
export function weighAhead(state: SessionState, { moment, need }: Action, options: CompactOptions): WeighedByCode {
  if (!asksSomebody(state, options)) return weighByCode(moment, need, options);
  const { head } = moment.conversation;
  const estimate = estimateProposal(viewToSend(moment), moment.promptTokens, options);
  if (estimate === undefined) return { isWorthIt: false };
  const costUsd = estimateCost(state, options, { ...estimate, previous: head.summary });
  const gate = weighProposal(estimate, moment, { facts: need.facts, costUsd });
  return { gate, isWorthIt: pays(gate, moment) || isLastChance(moment, estimate) };
}

/** Whether code should fold what can wait now. */
export function isWorthIt(moment: Moment, need: FoundNeed, options: CompactOptions): boolean {
  if (!moment.settings.gate && countOpenThinking(moment) === 0) return true;
  return isTimeToLook(moment, need.facts) && weighByCode(moment, need, options).isWorthIt;
}
