/**
 * Compactions that are made while others go on: begun under the lease, kept until they may be written, and written when
 * they pay for themselves or must be. One that was made for another past is given up, and that is told.
 */
import type { Proposal } from "../../core/plan/proposal.ts";
import { endOf } from "../context/summary-attempt.ts";
import { unlessAborted } from "../context/throw-if-aborted.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import { countOpenThinking, isNearlyFull, weighProposal } from "../state/find-need.ts";
import { NO_HOLD, takeLease } from "../state/hold-lease.ts";
import type { Prepared } from "../state/preparation.ts";
import type { SessionState } from "../state/session-state.ts";
import { writeProposal } from "./compact.ts";
import { type Acted, type Action, isOutdated, optionsOf, type Settling, warnOfFailure } from "./compact-now.ts";
import { announceEnd, proposeAloud } from "./propose-aloud.ts";

/** Begins what a policy does after a reply; `finishInBackground` writes it. Undefined where one is under way. */
export function beginInBackground(state: SessionState, action: Action): Promise<void> | undefined {
  const { preparation } = state;
  if (preparation.isTaken(action.moment.conversation.head.epoch)) return undefined;
  return preparation.start(() => prepareUnderLease(state, action, optionsOf(action)));
}

/** Writes what was made meanwhile, unless the past has changed since. */
export async function finishInBackground(state: SessionState, action: Action): Promise<void> {
  const prepared = findReady(state, action.moment.conversation.head.epoch);
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
  const done = unlessAborted(preparation.wait(), waiting.signal);
  return (await waiting.timer.wait(done, preparation.progress)) !== undefined;
}

/** What was made for this epoch. What was made for another is given up, and that is told. */
export function findReady(state: SessionState, epoch: number): Prepared | undefined {
  const { preparation } = state;
  const prepared = preparation.collect();
  if (prepared === undefined) return undefined;
  if (prepared.epoch === epoch) {
    preparation.put(prepared);
    return prepared;
  }
  // Nobody waits for it; where it fails it runs out by itself.
  prepared.release?.().catch(() => undefined);
  announceEnd(state, prepared.options, {
    worked: prepared,
    outcome: "stale",
    reason: "Somebody else changed the session first.",
  });
  return undefined;
}

/** After a reply the lease is kept until the proposal is written: nobody else pays for the same one meanwhile. */
export async function prepareUnderLease(
  state: SessionState,
  action: Action,
  options: CompactOptions,
): Promise<Prepared | undefined> {
  const { signal } = state.preparation;
  const stop = action.signal === undefined ? signal : AbortSignal.any([signal, action.signal]);
  const hold = await takeLease(state, stop);
  if (hold === undefined) return undefined;
  let isKept = false;
  try {
    if (await isOutdated(state, action.moment.conversation)) return undefined;
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
  { action, options, hold }: Omit<Settling, "worked">,
): Promise<Prepared | undefined> {
  const { conversation, promptTokens } = action.moment;
  const { epoch } = conversation.head;
  const { progress } = state.preparation;
  const worked = await proposeAloud(state, { moment: action.moment, options, signal: hold.signal, progress });
  const { outcome, attempts, durationMs } = worked;
  warnOfFailure(state, worked, options);
  if (outcome.type === "proposal") return { proposal: outcome, epoch, promptTokens, options, attempts, durationMs };
  state.preparation.putOff(epoch, promptTokens);
  announceEnd(state, options, { worked, outcome: endOf(attempts), reason: outcome.reason });
  return undefined;
}

/** Applied when it pays for itself, when the prompt is nearly full, or when it must be. */
export async function applyPrepared(state: SessionState, { moment, need }: Action, prepared: Prepared): Promise<Acted> {
  const { conversation, settings } = moment;
  const proposal = grown(prepared, moment.promptTokens);
  // What it cost is spent whether it is applied or not.
  const gate = weighProposal(proposal, moment, { facts: need.facts, costUsd: 0 });
  const keepsThinking = countOpenThinking(moment) > 0;
  const isWeighed = keepsThinking || (settings.gate && !isNearlyFull(moment));
  if (need.need !== "hard" && isWeighed && !gate.acts) {
    return { type: "held", reason: "It does not pay for itself yet.", gate };
  }
  const { options, attempts, durationMs, fence } = prepared;
  state.preparation.collect();
  const report = await writeProposal(state, conversation, proposal, {
    options,
    hold: { ...NO_HOLD, fence },
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
function grown({ proposal, promptTokens }: Prepared, now: number): Proposal {
  const more = now - promptTokens;
  const weight = { ...proposal.weight, keptTokens: Math.max(0, proposal.weight.keptTokens + more) };
  return { ...proposal, weight, tokensBefore: now, tokensAfter: proposal.tokensAfter + more };
}
