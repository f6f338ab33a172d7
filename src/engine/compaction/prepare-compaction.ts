/**
 * Prepares compactions in the background: by a model under the session's lease, and by code without one, because the
 * epoch alone keeps such a fold from being written twice.
 */
import { countCharacters } from "../../core/log/count-characters.ts";
import { NOTHING_TO_FOLD } from "../../core/plan/fold-oldest.ts";
import { FairQueue } from "../../ports/run-in-steps.ts";
import { findEndOutcome } from "../context/events.ts";
import type { CompactOptions, SessionSnapshot } from "../state/find-need.ts";
import { LAST_TRY_REASON, PREPARING_REASON, type PreparedCompaction } from "../state/preparation.ts";
import { acquireLease, NO_LEASE } from "../state/session-lease.ts";
import type { SessionState } from "../state/session-state.ts";
import { type CompactionOutcome, isOutdated, warnAboutFailure } from "./compact-now.ts";
import {
  type CompactionTask,
  countOpenThinking,
  createCompactOptions,
  describeHold,
  mayCallModel,
  shouldEvaluateGate,
  weighFoldByCode,
} from "./plan-compaction.ts";
import { emitEnd, type ProposeOptions, proposeWithEvents } from "./propose.ts";

/** The outcome of an optional compaction that changes nothing now. */
export type Hold = Extract<CompactionOutcome, { type: "held" }>;

/**
 * Prepares a compaction. After a reply, keeps the lease until the proposal is written, so that no other process pays
 * again.
 */
export async function prepareUnderLease(
  state: SessionState,
  task: CompactionTask,
  options: CompactOptions,
): Promise<PreparedCompaction | undefined> {
  const { signal } = state.preparation;
  const stop = task.signal === undefined ? signal : AbortSignal.any([signal, task.signal]);
  const lease = await acquireLease(state, stop);
  if (lease === undefined) return undefined;
  let isKept = false;
  try {
    if (await isOutdated(state, task.snapshot.conversation)) return undefined;
    const prepared = await proposeOnce(state, task, { options, lease });
    if (prepared === undefined || options.phase !== "post-response") return prepared;
    isKept = true;
    return { ...prepared, fence: lease.fence, release: () => lease.release() };
  } finally {
    if (!isKept) await lease.release();
  }
}

async function proposeOnce(
  state: SessionState,
  { snapshot }: CompactionTask,
  work: Pick<ProposeOptions, "options" | "lease">,
): Promise<PreparedCompaction | undefined> {
  const { promptTokens, conversation } = snapshot;
  const { epoch } = conversation.head;
  const { progress } = state.preparation;
  const { outcome, ...result } = await proposeWithEvents(state, { ...work, snapshot, progress });
  warnAboutFailure(state, result);
  if (outcome.type === "proposal") return { ...result, fence: undefined, proposal: outcome, epoch, promptTokens };
  state.preparation.putOff(epoch, promptTokens);
  emitEnd(state, result, { outcome: findEndOutcome(result.attempts), reason: outcome.reason });
  return undefined;
}

/**
 * Folds of many sessions may become due at once. Each waits for several turns of a busy event loop, so a few are prepared
 * at a time; their number is limited by the characters of their views.
 */
const preparations = new FairQueue({ maxRunning: 8, maxOwners: 12, maxWeight: 2_000_000 });

/**
 * Whether an optional fold of this session is prepared by code: in an engine with a thread for summaries, no prompt
 * waits for a fold that can wait.
 */
export function isPreparedByCode(state: SessionState, { snapshot, need }: CompactionTask, options: CompactOptions) {
  const { enabled, gate, background } = snapshot.settings;
  if (need.need !== "soft" || !enabled || !gate || background === undefined) return false;
  return state.context.summaryThread !== undefined && !mayCallModel(state, options);
}

/** Returns why an optional fold by code changes nothing now; undefined if one is ready, or has to be prepared. */
export function findHold(
  state: SessionState,
  { snapshot, need }: CompactionTask,
  options: CompactOptions,
): Hold | undefined {
  const { preparation } = state;
  const { epoch } = snapshot.conversation.head;
  if (preparation.isReady(epoch)) return undefined;
  if (preparation.isTaken(epoch)) return { type: "held", reason: PREPARING_REASON };
  if (!shouldEvaluateGate(snapshot, need.facts)) return { type: "held", reason: LITTLE_CHANGED };
  if (!preparation.mayTry(epoch, snapshot.promptTokens)) return { type: "held", reason: LAST_TRY_REASON };
  const { gate, isWorthwhile } = weighFoldByCode(snapshot, need, options);
  if (gate === undefined) return { type: "held", reason: NOTHING_TO_FOLD };
  return isWorthwhile ? undefined : { type: "held", reason: describeHold(gate), gate };
}

/** A prompt that fills this share of its limit will need a fold in some turns. */
const THREAD_FROM = 0.3;

/** Starts the thread for summaries some turns before the first fold. */
export function prepareThread({ context }: SessionState, { promptTokens, limits }: SessionSnapshot): void {
  if (promptTokens >= THREAD_FROM * limits.limitTokens) context.summaryThread?.prepare();
}

export const LITTLE_CHANGED = "Little has changed since the last check.";

/** Returns why an optional fold is held, if this is known without a change of the session. */
export function findKnownHold(state: SessionState, task: CompactionTask): Hold | undefined {
  if (countOpenThinking(task.snapshot) > 0) return undefined;
  const options = createCompactOptions(task);
  return isPreparedByCode(state, task, options) ? findHold(state, task, options) : undefined;
}

/** Prepares a fold by code as soon as few others are prepared, and then writes it. */
export function prepareByCode(state: SessionState, task: CompactionTask, options: CompactOptions): Hold {
  const { preparation, context } = state;
  const { promptTokens, conversation } = task.snapshot;
  // Prompts add unstored messages to the conversation in memory.
  const snapshot = { ...task.snapshot, conversation: conversation.copy() };
  const background: CompactOptions = { ...options, phase: "background" };
  const run = () =>
    proposeOnce(state, { ...task, snapshot, waiting: undefined }, { options: background, lease: NO_LEASE });
  preparation.planDetached(run, async () => {
    try {
      const weight = countCharacters(snapshot.conversation.view.messages);
      await preparations.run(context.store, async () => preparation.startPlanned(), { weight });
      if (preparation.isReady(conversation.head.epoch) && !preparation.signal.aborted) await preparation.apply?.();
    } catch (error) {
      preparation.putOff(conversation.head.epoch, promptTokens);
      state.warn(`A compaction could not be prepared: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  return { type: "held", reason: PREPARING_REASON };
}
