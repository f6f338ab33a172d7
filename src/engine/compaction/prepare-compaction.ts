/**
 * Compactions that are made while others go on: begun under the lease, kept until they may be written, and written when
 * they pay for themselves or must be. One that was made for another past is given up, and that is told.
 */
import type { Proposal } from "../../core/plan/proposal.ts";
import { findEndOutcome } from "../context/summary-attempt.ts";
import { rejectOnAbort } from "../context/throw-if-aborted.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import { countOpenThinking, isNearlyFull, weighProposal } from "../state/find-need.ts";
import { acquireLease, NO_LEASE } from "../state/hold-lease.ts";
import type { PreparedCompaction } from "../state/preparation.ts";
import type { SessionState } from "../state/session-state.ts";
import { writeProposal } from "./compact.ts";
import {
  type CompactionOutcome,
  type CompactionTask,
  createCompactOptions,
  isOutdated,
  type SettleOptions,
  warnAboutFailure,
} from "./compact-now.ts";
import { emitEnd, proposeWithEvents } from "./propose-aloud.ts";

/** Begins what a policy does after a reply; `finishInBackground` writes it. Undefined where one is under way. */
export function beginInBackground(state: SessionState, action: CompactionTask): Promise<void> | undefined {
  const { preparation } = state;
  if (preparation.isTaken(action.snapshot.conversation.head.epoch)) return undefined;
  return preparation.start(() => prepareUnderLease(state, action, createCompactOptions(action)));
}

/** Writes what was made meanwhile, unless the past has changed since. */
export async function finishInBackground(state: SessionState, action: CompactionTask): Promise<void> {
  const prepared = findPrepared(state, action.snapshot.conversation.head.epoch);
  if (prepared !== undefined) await applyPrepared(state, action, prepared);
}

/** Waits for what is being made, as long as the caller does; false where that takes longer. */
export async function waitForPreparation(
  { preparation }: SessionState,
  waiting: CallerWait | undefined,
): Promise<boolean> {
  if (waiting === undefined) {
    await preparation.wait();
    return true;
  }
  const done = rejectOnAbort(preparation.wait(), waiting.signal);
  return (await waiting.timer.wait(done, preparation.progress)) !== undefined;
}

/** What was made for this epoch. What was made for another is given up, and that is told. */
export function findPrepared(state: SessionState, epoch: number): PreparedCompaction | undefined {
  const { preparation } = state;
  const prepared = preparation.collect();
  if (prepared === undefined) return undefined;
  if (prepared.epoch === epoch) {
    preparation.put(prepared);
    return prepared;
  }
  // Nobody waits for it; where it fails it runs out by itself.
  prepared.release?.().catch(() => undefined);
  emitEnd(state, prepared.options, {
    worked: prepared,
    outcome: "stale",
    reason: "Somebody else changed the session first.",
  });
  return undefined;
}

/** After a reply the lease is kept until the proposal is written: nobody else pays for the same one meanwhile. */
export async function prepareUnderLease(
  state: SessionState,
  action: CompactionTask,
  options: CompactOptions,
): Promise<PreparedCompaction | undefined> {
  const { signal } = state.preparation;
  const stop = action.signal === undefined ? signal : AbortSignal.any([signal, action.signal]);
  const hold = await acquireLease(state, stop);
  if (hold === undefined) return undefined;
  let isKept = false;
  try {
    if (await isOutdated(state, action.snapshot.conversation)) return undefined;
    const prepared = await prepareOnce(state, { action, options, hold });
    if (prepared === undefined || options.phase !== "post-response") return prepared;
    isKept = true;
    return { ...prepared, fence: hold.fence, release: () => hold.release() };
  } finally {
    if (!isKept) await hold.release();
  }
}

async function prepareOnce(
  state: SessionState,
  { action, options, hold }: Omit<SettleOptions, "worked">,
): Promise<PreparedCompaction | undefined> {
  const { conversation, promptTokens } = action.snapshot;
  const { epoch } = conversation.head;
  const { progress } = state.preparation;
  const worked = await proposeWithEvents(state, { snapshot: action.snapshot, options, signal: hold.signal, progress });
  const { outcome, attempts, durationMs } = worked;
  warnAboutFailure(state, worked, options);
  if (outcome.type === "proposal") return { proposal: outcome, epoch, promptTokens, options, attempts, durationMs };
  state.preparation.putOff(epoch, promptTokens);
  emitEnd(state, options, { worked, outcome: findEndOutcome(attempts), reason: outcome.reason });
  return undefined;
}

/** Applied when it pays for itself, when the prompt is nearly full, or when it must be. */
export async function applyPrepared(
  state: SessionState,
  { snapshot, need }: CompactionTask,
  prepared: PreparedCompaction,
): Promise<CompactionOutcome> {
  const { conversation, settings } = snapshot;
  const proposal = grown(prepared, snapshot.promptTokens);
  // What it cost is spent whether it is applied or not.
  const gate = weighProposal(proposal, snapshot, { facts: need.facts, costUsd: 0 });
  const keepsThinking = countOpenThinking(snapshot) > 0;
  const isWeighed = keepsThinking || (settings.gate && !isNearlyFull(snapshot));
  if (need.need !== "hard" && isWeighed && !gate.acts) {
    return { type: "held", reason: "It does not pay for itself yet.", gate };
  }
  const { options, attempts, durationMs, fence } = prepared;
  state.preparation.collect();
  const report = await writeProposal(state, conversation, proposal, {
    options,
    hold: { ...NO_LEASE, fence },
    attempts,
    durationMs,
    gate,
  }).catch((error: unknown) => {
    // It is paid for: whoever tries again writes this one.
    state.preparation.put(prepared);
    throw error;
  });
  // Written or stale, and neither changes where this fails: the lease then runs out by itself.
  await prepared.release?.().catch(() => undefined);
  return report === undefined ? { type: "again" } : { type: "written", report };
}

/** What came since stands after the change, on both sides of it. */
function grown({ proposal, promptTokens }: PreparedCompaction, now: number): Proposal {
  const more = now - promptTokens;
  const weight = { ...proposal.weight, keptTokens: Math.max(0, proposal.weight.keptTokens + more) };
  return { ...proposal, weight, tokensBefore: now, tokensAfter: proposal.tokensAfter + more };
}
