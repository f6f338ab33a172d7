/** Compacts for a prompt: a hard need at once; a soft one if the gate allows it, mostly in the background. */

import { NOTHING_TO_FOLD } from "../../core/plan/fold-oldest.ts";
import type { Proposal } from "../../core/plan/proposal.ts";
import { rejectOnAbort } from "../context/errors.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import type { CompactOptions } from "../state/find-need.ts";
import { LAST_TRY_REASON, PREPARING_REASON, type PreparedCompaction } from "../state/preparation.ts";
import { NO_LEASE } from "../state/session-lease.ts";
import type { SessionState } from "../state/session-state.ts";
import { type CompactionOutcome, compactNow, SESSION_CHANGED, settleProposal, writeProposal } from "./compact-now.ts";
import {
  type CompactionTask,
  countOpenThinking,
  createCompactOptions,
  describeHold,
  isFilling,
  isNearlyFull,
  isSavingEnough,
  mayCallModel,
  shouldEvaluateGate,
  weighFoldByCode,
  weighFoldByModel,
  weighProposal,
} from "./plan-compaction.ts";
import { findHold, isPreparedByCode, LITTLE_CHANGED, prepareByCode, prepareUnderLease } from "./prepare-compaction.ts";
import { emitEnd, emitStart, propose } from "./propose.ts";

export async function compactForPrompt(state: SessionState, task: CompactionTask): Promise<CompactionOutcome> {
  const { snapshot, need, waiting } = task;
  const isHard = need.need === "hard";
  if (isHard) state.preparation.dropDetached();
  if (isHard && !(await waitForPreparation(state, waiting))) return { type: "held", reason: PREPARING_REASON };
  const prepared = findPrepared(state, snapshot.conversation.head.epoch);
  if (prepared !== undefined) return applyPrepared(state, task, prepared);
  // Work that could wait does not remove the thinking of an open turn, unless that is worthwhile.
  const isWeighed = snapshot.settings.gate || countOpenThinking(snapshot) > 0;
  return isHard || !isWeighed ? compactNow(state, task) : compactIfWorthwhile(state, task);
}

async function compactIfWorthwhile(state: SessionState, task: CompactionTask): Promise<CompactionOutcome> {
  const { snapshot, need } = task;
  if (!shouldEvaluateGate(snapshot, need.facts)) return { type: "held", reason: LITTLE_CHANGED };
  if (state.late.isRunning) return { type: "held", reason: "Waiting for a late summary." };
  const options = createCompactOptions(task);
  if (mayCallModel(state, options)) return askModelIfWorthwhile(state, task, options);
  if (isPreparedByCode(state, task, options))
    return findHold(state, task, options) ?? prepareByCode(state, task, options);
  const { gate, isWorthwhile } = weighFoldByCode(snapshot, need, options);
  if (gate === undefined) return { type: "held", reason: NOTHING_TO_FOLD };
  if (!isWorthwhile) return { type: "held", reason: describeHold(gate), gate };
  return compactNow(state, task, { ...options, gate });
}

async function askModelIfWorthwhile(
  state: SessionState,
  task: CompactionTask,
  options: CompactOptions,
): Promise<CompactionOutcome> {
  const { snapshot } = task;
  const { preparation } = state;
  const { epoch } = snapshot.conversation.head;
  if (preparation.isTaken(epoch)) return { type: "held", reason: PREPARING_REASON };
  if (!preparation.mayTry(epoch, snapshot.promptTokens)) return { type: "held", reason: LAST_TRY_REASON };
  const pruned = await pruneIfWorthwhile(state, task, options);
  if (pruned !== undefined) return pruned;
  const weighed = weighFoldByModel(state, task, options);
  if (weighed === undefined) return { type: "held", reason: NOTHING_TO_FOLD };
  const { gate } = weighed;
  const isWorthwhile = isSavingEnough(gate, snapshot);
  if (isWorthwhile && gate.isCold) return compactNow(state, task, { ...options, gate });
  if (!isWorthwhile && !isFilling(snapshot)) return { type: "held", reason: describeHold(gate), gate };
  schedulePreparation(state, task, { ...options, phase: "background" });
  return { type: "held", reason: PREPARING_REASON, gate };
}

/** Submits a job. A job of this process uses this plan; a worker of another process measures the session itself. */
function schedulePreparation(state: SessionState, task: CompactionTask, options: CompactOptions): void {
  const { preparation, context } = state;
  // The caller of the prompt does not wait for this compaction.
  const background = { ...task, waiting: undefined };
  if (context.jobs?.runHere === true) preparation.plan(() => prepareUnderLease(state, background, options));
  void context.jobs?.submit(state.id);
}

/** Prunes without calling a model, if that saves enough or cannot wait. */
async function pruneIfWorthwhile(
  state: SessionState,
  task: CompactionTask,
  options: CompactOptions,
): Promise<CompactionOutcome | undefined> {
  const { snapshot, need } = task;
  const byCode: CompactOptions = { ...options, writtenBy: "none", isPriced: true };
  const by = { context: state.context, sessionId: state.id, signal: NO_LEASE.signal };
  const result = await propose(snapshot.conversation.view, byCode, by);
  if (result.outcome.type !== "proposal") return undefined;
  const gate = weighProposal(result.outcome, snapshot, { facts: need.facts, costUsd: 0 });
  const mayWait = !isNearlyFull(snapshot) || countOpenThinking(snapshot) > 0;
  if (!isSavingEnough(gate, snapshot) && mayWait) return undefined;
  emitStart(state, options, snapshot);
  return settleProposal(state, snapshot.conversation, { ...result, options: { ...options, gate } });
}

export function startPreparation(state: SessionState, task: CompactionTask): Promise<void> | undefined {
  const { preparation } = state;
  if (preparation.isTaken(task.snapshot.conversation.head.epoch)) return undefined;
  return preparation.start(() => prepareUnderLease(state, task, createCompactOptions(task)));
}

export async function finishPreparation(state: SessionState, task: CompactionTask): Promise<void> {
  const prepared = findPrepared(state, task.snapshot.conversation.head.epoch);
  if (prepared !== undefined) await applyPrepared(state, task, prepared);
}

/** Waits for a running preparation within the caller's limit. Returns false if it takes longer. */
export async function waitForPreparation(
  { preparation }: SessionState,
  waiting: CallerWait | undefined,
): Promise<boolean> {
  if (waiting === undefined) {
    await preparation.wait();
    return true;
  }
  if (preparation.isLate) return false;
  const done = rejectOnAbort(preparation.wait(), waiting.signal);
  preparation.isLate = (await waiting.timer.wait(done, preparation.progress)) === undefined;
  return !preparation.isLate;
}

/** Returns the compaction that was prepared for this epoch. Discards one for another epoch, and emits an event. */
export function findPrepared(state: SessionState, epoch: number): PreparedCompaction | undefined {
  const { preparation } = state;
  const prepared = preparation.collect();
  if (prepared === undefined) return undefined;
  if (prepared.epoch === epoch) {
    preparation.put(prepared);
    return prepared;
  }
  // A lease that cannot be released expires by itself.
  prepared.release?.().catch(() => undefined);
  emitEnd(state, prepared, { outcome: "stale", reason: SESSION_CHANGED });
  return undefined;
}

/** Writes a prepared compaction, or holds an optional one that does not pay for itself yet. */
export async function applyPrepared(
  state: SessionState,
  { snapshot, need }: CompactionTask,
  prepared: PreparedCompaction,
): Promise<CompactionOutcome> {
  const { conversation, settings } = snapshot;
  const proposal = addGrowth(prepared, snapshot.promptTokens);
  // The summary is paid for whether it is applied or not.
  const gate = weighProposal(proposal, snapshot, { facts: need.facts, costUsd: 0 });
  const keepsThinking = countOpenThinking(snapshot) > 0;
  const isWeighed = keepsThinking || (settings.gate && !isNearlyFull(snapshot));
  if (need.need !== "hard" && isWeighed && !gate.acts) {
    return { type: "held", reason: "A compaction does not pay for itself yet.", gate };
  }
  state.preparation.collect();
  const planned = { ...prepared, proposal, options: { ...prepared.options, gate } };
  const report = await writeProposal(state, conversation, planned).catch((error: unknown) => {
    // The next try writes the same proposal, because it is paid for.
    state.preparation.put(prepared);
    throw error;
  });
  // The outcome is valid even if the release fails; the lease then expires by itself.
  await prepared.release?.().catch(() => undefined);
  return report === undefined ? { type: "again" } : { type: "written", report };
}

/** Adds the tokens of messages that were appended after the proposal was made. */
function addGrowth({ proposal, promptTokens }: PreparedCompaction, now: number): Proposal {
  const more = now - promptTokens;
  const weight = { ...proposal.weight, keptTokens: Math.max(0, proposal.weight.keptTokens + more) };
  return { ...proposal, weight, tokensBefore: now, tokensAfter: proposal.tokensAfter + more };
}
