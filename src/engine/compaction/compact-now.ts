/** Compacts at once: proposes, and writes the batch. Work that may call a model holds the session's lease. */

import { PalimpsestError } from "../../core/errors.ts";
import type { EntryId } from "../../core/log/entry.ts";
import { reviseView, type View } from "../../core/log/view.ts";
import { hasSealedCompaction } from "../../core/message/provider-compaction.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import { foldChanges, type Proposal } from "../../core/plan/proposal.ts";
import { readRatio } from "../../core/plan/triggers/check-trigger.ts";
import type { RatioTrigger } from "../../core/plan/triggers/trigger.ts";
import { throwIfAborted } from "../context/errors.ts";
import { findEndOutcome, type SummaryAttempt } from "../context/events.ts";
import type { Conversation } from "../state/conversation.ts";
import { findErasable } from "../state/find-erasable.ts";
import type { CompactionWork, CompactOptions, ProposedCompaction } from "../state/find-need.ts";
import { acquireLease, type HeldLease, LEASE_MS, NO_LEASE } from "../state/session-lease.ts";
import type { SessionState } from "../state/session-state.ts";
import { type CompactionTask, createCompactOptions, mayCallModel } from "./plan-compaction.ts";
import { emitEnd, type ProposeResult, proposeWithEvents } from "./propose.ts";

/** A smaller view for one request; the log is unchanged. */
export interface TemporaryView {
  readonly view: View;
  readonly report: CompactionReport;
}

export type CompactionOutcome =
  | { readonly type: "written"; readonly report: CompactionReport }
  | ({ readonly type: "view-only" } & TemporaryView)
  /** Not worthwhile now, or not possible: the prompt is sent without a compaction. */
  | { readonly type: "held"; readonly reason: string; readonly gate?: GateVerdict | undefined }
  /** Another process changed the session or is compacting it: measure the session again. */
  | { readonly type: "again" };

export async function compactNow(
  state: SessionState,
  task: CompactionTask,
  options = createCompactOptions(task),
): Promise<CompactionOutcome> {
  const { snapshot, waiting } = task;
  const { conversation } = snapshot;
  const proposeUnder = async (lease: HeldLease) => {
    const result = await proposeWithEvents(state, { snapshot, options, lease, waiting });
    return settleProposal(state, conversation, result);
  };
  if (!mayCallModel(state, options)) return proposeUnder(NO_LEASE);
  for (let waitedMs = 0; ; waitedMs += BUSY_MS) {
    const lease = await acquireLease(state, joinSignals(task.signal, waiting?.signal));
    if (lease !== undefined) {
      try {
        return (await isOutdated(state, conversation)) ? { type: "again" } : await proposeUnder(lease);
      } finally {
        await lease.release();
      }
    }
    if (options.urgency === "soft" || waiting?.timer.isOver === true) return { type: "held", reason: BUSY };
    await state.context.sleep(BUSY_MS, waiting?.signal);
    throwIfAborted(waiting?.signal);
    if (waitedMs >= LEASE_MS || (await isOutdated(state, conversation))) return { type: "again" };
  }
}

function joinSignals(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length < 2 ? given[0] : AbortSignal.any(given);
}

/** Whether the epoch has moved: the process that held the lease before may already have compacted. */
export async function isOutdated({ id, context }: SessionState, { head }: Conversation): Promise<boolean> {
  return (await context.store.findSession(id))?.head.epoch !== head.epoch;
}

export const BUSY = "Another process is compacting this session.";

const BUSY_MS = 25;

/** Writes the proposal, or applies it to this request alone, depending on the policy. */
export async function settleProposal(
  state: SessionState,
  conversation: Conversation,
  result: ProposeResult,
): Promise<CompactionOutcome> {
  const { outcome, attempts } = result;
  requireSummary(state, result);
  warnAboutFailure(state, result);
  if (outcome.type === "nothing") {
    const { reason } = outcome;
    emitEnd(state, result, { outcome: findEndOutcome(attempts), reason });
    return { type: "held", reason };
  }
  if (!isToBeWritten(outcome, result)) {
    const failure = attempts.findLast((attempt) => attempt.outcome !== "accepted")?.reason ?? "";
    emitEnd(state, result, { outcome: "failed", reason: `Only this request was made smaller. ${failure}`.trim() });
    return { type: "view-only", ...applyToView(conversation.view, outcome, result) };
  }
  const report = await writeProposal(state, conversation, { ...result, proposal: outcome });
  return report === undefined ? { type: "again" } : { type: "written", report };
}

/** Warns once if a summarizer fails, because the owner of the engine pays for it. */
export function warnAboutFailure(state: SessionState, { attempts, options: { settings } }: CompactionWork): void {
  const failed = attempts.find(({ outcome }) => outcome === "failed");
  if (failed === undefined || failed.rule === "aborted" || settings.summary.onFailure === "keep") return;
  state.warn(`No summary was received from ${failed.model ?? "the summarizer"}: ${failed.reason}`, "summarizer-failed");
}

/** With `onFailure: "keep"`, a proposal without a summary is not written after a failed attempt. */
function isToBeWritten({ changes }: Proposal, { options, attempts }: CompactionWork): boolean {
  if (options.writtenBy === "none") return false;
  if (options.settings.summary.onFailure !== "keep") return true;
  const isSummarized = changes.some(({ type }) => type === "summary");
  return isSummarized || attempts.every(({ outcome }) => outcome === "accepted");
}

/** Throws if the policy requires a summary and the last attempt to write one was not accepted. */
function requireSummary(state: SessionState, result: ProposeResult): void {
  const { outcome, attempts, options } = result;
  const last = attempts.at(-1);
  if (!options.settings.summary.abortOnFailure || last === undefined || last.outcome === "accepted") return;
  const isSummarized = outcome.type === "proposal" && outcome.changes.some(({ type }) => type === "summary");
  if (isSummarized) return;
  emitEnd(state, result, { outcome: "failed", reason: last.reason });
  const text = `No summary could be written: ${last.reason}`;
  throw new PalimpsestError("summarizer-failed", text, { details: { attempts } });
}

/** A second pass leaves at least this many messages in the tail. */
const MIN_TAIL = 2;

/** Compacts again if a compaction left the prompt above its trigger. Returns undefined if no second pass is due. */
export async function runSecondPass(state: SessionState, task: CompactionTask): Promise<CompactionOutcome | undefined> {
  const { settings } = task.snapshot;
  const trigger = settings.triggers.find((candidate): candidate is RatioTrigger => candidate.type === "ratio");
  if (!settings.summary.secondPass || trigger === undefined) return undefined;
  const { facts } = task.need;
  if (readRatio(trigger, facts) < trigger.triggerRatio) return undefined;
  const reason = "still above the trigger after a compaction";
  const triggers = [trigger.type];
  const options: CompactOptions = { ...createCompactOptions(task), urgency: "soft", reason, triggers };
  if (facts.summaryRecords < trigger.maxSummaryChainDepth) {
    return compactNow(state, task, { ...options, isSecondPass: true });
  }
  const tailMessages = Math.max(MIN_TAIL, Math.floor((settings.tail.messages ?? MIN_TAIL) / 2));
  return compactNow(state, task, { ...options, tailMessages, atDepthCap: "fold" });
}

export interface CompactionReport extends Pick<Proposal, "steps" | "tokensBefore" | "tokensAfter"> {
  readonly reason: string;
  /** False if the compaction applies to one request only and is not written to the log. */
  readonly isRecorded: boolean;
  /** Every attempt to write a summary, with its cost. */
  readonly attempts: readonly SummaryAttempt[];
  readonly gate?: GateVerdict | undefined;
  readonly entryIds: readonly EntryId[];
}

export const SESSION_CHANGED = "The session changed while the compaction was prepared.";

const PINS_RELEASED =
  "Pins were released because nothing else could make the prompt fit; a note with their first words replaces them.";

const SEALED_LEFT_OUT =
  "A compaction by the provider, which only the provider can read, is no longer sent: it takes more than a quarter of the budget.";

function hasSealed({ kept, messages }: View): boolean {
  return [...kept, ...messages].some(({ message }) => hasSealedCompaction(message));
}

/** Returns undefined when the session has changed since the proposal was made. */
export async function writeProposal(
  state: SessionState,
  conversation: Conversation,
  { proposal, ...work }: ProposedCompaction,
): Promise<CompactionReport | undefined> {
  const { options, attempts, durationMs, fence } = work;
  const { reason, phase, limits, settings, gate } = options;
  const { steps, tokensBefore, tokensAfter, weight, changes } = proposal;
  const commit = async () => {
    const { retention } = settings;
    return state.commit(conversation, { ...(await findErasable(state, conversation, { changes, retention })), fence });
  };
  const entryIds = await commit().catch((error: unknown) => {
    emitEnd(state, work, { outcome: "failed", reason: error instanceof Error ? error.message : String(error) });
    throw error;
  });
  if (entryIds === undefined) {
    emitEnd(state, work, { outcome: "stale", reason: SESSION_CHANGED });
    return undefined;
  }
  if (changes.some(({ type }) => type === "unpin")) state.warn(PINS_RELEASED);
  const record = changes.find((change) => change.type === "summary")?.record;
  const after = await state.current();
  if (hasSealed(conversation.view) && !hasSealed(after.view)) state.warn(SEALED_LEFT_OUT);
  const report = { reason, steps, tokensBefore, tokensAfter, attempts, gate, entryIds };
  state.context.emitter.emit("compaction", {
    ...report,
    sessionId: state.id,
    phase,
    durationMs,
    weight,
    ratio: tokensBefore / Math.max(1, limits.limitTokens),
    record,
    compressedMessages: record?.messageIds.length ?? 0,
    messages: after.assembler.items.map((item) => item.message),
  });
  return { ...report, isRecorded: true };
}

/** Returns the smaller view for one request. Writes nothing. */
export function applyToView(
  view: View,
  { changes, steps, tokensBefore, tokensAfter }: Proposal,
  { options, attempts }: CompactionWork,
): TemporaryView {
  const { reason, measure } = options;
  const report = { reason, steps, tokensBefore, tokensAfter, isRecorded: false, attempts, entryIds: [] };
  return { view: reviseView(view, foldChanges(view.head, changes), measure.counts), report };
}
