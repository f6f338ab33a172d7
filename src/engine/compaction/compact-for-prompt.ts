/** Compacts for a prompt: at once if the need is hard. A soft need is weighed, and a model works in the background. */
import { NOTHING_TO_FOLD } from "../../core/plan/fold-oldest.ts";
import { type CompactOptions, IS_PREPARING, LAST_TRY_FAILED } from "../state/preparation.ts";
import { NO_LEASE } from "../state/session-lease.ts";
import type { SessionState } from "../state/session-state.ts";
import { type CompactionOutcome, compactNow, settleProposal } from "./compact-now.ts";
import { type CompactionTask, createCompactOptions } from "./create-options.ts";
import { applyPrepared, findPrepared, prepareUnderLease, waitForPreparation } from "./prepare-compaction.ts";
import { emitStart, mayCallModel, propose } from "./propose.ts";
import {
  countOpenThinking,
  describeHold,
  isFilling,
  isNearlyFull,
  isSavingEnough,
  isTimeToWeigh,
  weighFoldByCode,
  weighFoldByModel,
  weighProposal,
} from "./weigh-compaction.ts";

export async function compactForPrompt(state: SessionState, task: CompactionTask): Promise<CompactionOutcome> {
  const { snapshot, need, waiting } = task;
  const isHard = need.need === "hard";
  if (isHard && !(await waitForPreparation(state, waiting))) return { type: "held", reason: IS_PREPARING };
  const prepared = findPrepared(state, snapshot.conversation.head.epoch);
  if (prepared !== undefined) return applyPrepared(state, task, prepared);
  // An open turn does not lose its thinking to work that could wait, unless that is worthwhile.
  const isWeighed = snapshot.settings.gate || countOpenThinking(snapshot) > 0;
  return isHard || !isWeighed ? compactNow(state, task) : compactIfWorthwhile(state, task);
}

async function compactIfWorthwhile(state: SessionState, task: CompactionTask): Promise<CompactionOutcome> {
  const { snapshot, need } = task;
  if (!isTimeToWeigh(snapshot, need.facts)) return { type: "held", reason: "Little has changed since the last check." };
  if (state.late.isUnderWay) return { type: "held", reason: "Waiting for a late summary." };
  const options = createCompactOptions(task);
  if (mayCallModel(state, options)) return askModelIfWorthwhile(state, task, options);
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
  if (preparation.isTaken(epoch)) return { type: "held", reason: IS_PREPARING };
  if (!preparation.mayTry(epoch, snapshot.promptTokens)) return { type: "held", reason: LAST_TRY_FAILED };
  const pruned = await pruneIfWorthwhile(state, task, options);
  if (pruned !== undefined) return pruned;
  const weighed = weighFoldByModel(state, task, options);
  if (weighed === undefined) return { type: "held", reason: NOTHING_TO_FOLD };
  const { gate } = weighed;
  const isWorthwhile = isSavingEnough(gate, snapshot);
  if (isWorthwhile && gate.isCold) return compactNow(state, task, { ...options, gate });
  if (!isWorthwhile && !isFilling(snapshot)) return { type: "held", reason: describeHold(gate), gate };
  schedulePreparation(state, task, { ...options, phase: "background" });
  return { type: "held", reason: IS_PREPARING, gate };
}

/** Submits a job. A job of this process uses this plan; a worker of another process measures the session itself. */
function schedulePreparation(state: SessionState, task: CompactionTask, options: CompactOptions): void {
  const { preparation, context } = state;
  // The caller of the prompt does not wait for this compaction.
  const background = { ...task, waiting: undefined };
  if (context.jobs?.runHere === true) preparation.plan(() => prepareUnderLease(state, background, options));
  void context.jobs?.submit(state.id);
}

/** Prunes without calling a model, where that alone saves enough. */
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
  return settleProposal(state, { task, options: { ...options, gate }, result, lease: NO_LEASE });
}
