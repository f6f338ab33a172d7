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
import { findEndOutcome, type SummaryAttempt } from "../context/summary-attempt.ts";
import type { Conversation } from "../state/conversation.ts";
import { findErasable } from "../state/find-erasable.ts";
import type { CompactOptions } from "../state/preparation.ts";
import { acquireLease, type HeldLease, LEASE_MS, NO_LEASE } from "../state/session-lease.ts";
import type { SessionState } from "../state/session-state.ts";
import { type CompactionTask, createCompactOptions, mayCallModel } from "./plan-compaction.ts";
import { emitEnd, type ProposeResult, proposeWithEvents } from "./propose.ts";

export type CompactionOutcome =
  | { readonly type: "written"; readonly report: CompactionReport }
  /** For this request alone; the log is unchanged. */
  | { readonly type: "view-only"; readonly view: View; readonly report: CompactionReport }
  /** Not worthwhile now, or not possible: the prompt is sent as it is. */
  | { readonly type: "held"; readonly reason: string; readonly gate?: GateVerdict | undefined }
  /** Another process changed the session or is compacting it: measure the session again. */
  | { readonly type: "again" };

export async function compactNow(
  state: SessionState,
  task: CompactionTask,
  options = createCompactOptions(task),
): Promise<CompactionOutcome> {
  if (!mayCallModel(state, options)) return proposeAndSettle(state, task, { options, lease: NO_LEASE });
  const { snapshot, waiting } = task;
  for (let waitedMs = 0; ; waitedMs += BUSY_MS) {
    const lease = await acquireLease(state, joinSignals(task.signal, waiting?.signal));
    if (lease !== undefined) {
      try {
        if (await isOutdated(state, snapshot.conversation)) return { type: "again" };
        return await proposeAndSettle(state, task, { options, lease });
      } finally {
        await lease.release();
      }
    }
    if (options.urgency === "soft" || waiting?.timer.isOver === true) return { type: "held", reason: BUSY };
    await state.context.sleep(BUSY_MS, waiting?.signal);
    throwIfAborted(waiting?.signal);
    if (waitedMs >= LEASE_MS || (await isOutdated(state, snapshot.conversation))) return { type: "again" };
  }
}

interface LeasedOptions {
  readonly options: CompactOptions;
  readonly lease: HeldLease;
}

async function proposeAndSettle(
  state: SessionState,
  task: CompactionTask,
  { options, lease }: LeasedOptions,
): Promise<CompactionOutcome> {
  const { snapshot, waiting } = task;
  const result = await proposeWithEvents(state, { snapshot, options, signal: lease.signal, waiting });
  return settleProposal(state, { task, options, result, lease });
}

function joinSignals(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length < 2 ? given[0] : AbortSignal.any(given);
}

/** Whether the epoch has moved: the process that held the lease before may have compacted already. */
export async function isOutdated({ id, context }: SessionState, { head }: Conversation): Promise<boolean> {
  return (await context.store.findSession(id))?.head.epoch !== head.epoch;
}

export const BUSY = "Another process is compacting this session.";

const BUSY_MS = 25;

export interface SettleOptions extends LeasedOptions {
  readonly task: CompactionTask;
  readonly result: ProposeResult;
}

/** Writes what was proposed, or applies it to this request alone, as the policy says. */
export async function settleProposal(
  state: SessionState,
  { task, options, result, lease }: SettleOptions,
): Promise<CompactionOutcome> {
  const { outcome, attempts, durationMs } = result;
  const { conversation } = task.snapshot;
  requireSummary(state, result, options);
  warnAboutFailure(state, result, options);
  if (outcome.type === "nothing") {
    emitEnd(state, options, { result, outcome: findEndOutcome(attempts), reason: outcome.reason });
    return { type: "held", reason: outcome.reason };
  }
  if (!isToBeWritten(outcome, { options, result })) {
    const reason = `Only this request was made smaller. ${findLastFailure(result)}`.trim();
    emitEnd(state, options, { result, outcome: "failed", reason });
    return { type: "view-only", ...applyToView(conversation.view, outcome, { options, attempts }) };
  }
  const { gate } = options;
  const report = await writeProposal(state, conversation, outcome, { options, lease, attempts, durationMs, gate });
  return report === undefined ? { type: "again" } : { type: "written", report };
}

/** Warns once of a summarizer that fails, because its owner pays for it. */
export function warnAboutFailure(state: SessionState, { attempts }: ProposeResult, { settings }: CompactOptions): void {
  const failed = attempts.find(({ outcome }) => outcome === "failed");
  if (failed === undefined || failed.rule === "aborted" || settings.summary.onFailure === "keep") return;
  state.warn(`No summary came from ${failed.model ?? "the summarizer"}: ${failed.reason}`, "summarizer-failed");
}

function findLastFailure({ attempts }: ProposeResult): string {
  return attempts.findLast(({ outcome }) => outcome !== "accepted")?.reason ?? "";
}

/** With `onFailure: "keep"`, nothing is written after a summarizer has failed. */
function isToBeWritten(
  { changes }: Proposal,
  { options, result }: { readonly options: CompactOptions; readonly result: ProposeResult },
): boolean {
  if (options.writtenBy === "none") return false;
  if (options.settings.summary.onFailure !== "keep") return true;
  const isSummarised = changes.some(({ type }) => type === "summary");
  return isSummarised || result.attempts.every(({ outcome }) => outcome === "accepted");
}

/** Throws where the policy wants a failed summary to fail the call. */
function requireSummary(state: SessionState, result: ProposeResult, options: CompactOptions): void {
  const { outcome, attempts } = result;
  const { settings } = options;
  const last = attempts.at(-1);
  if (!settings.summary.abortOnFailure || last === undefined || last.outcome === "accepted") return;
  const isSummarised = outcome.type === "proposal" && outcome.changes.some(({ type }) => type === "summary");
  if (isSummarised) return;
  emitEnd(state, options, { result, outcome: "failed", reason: last.reason });
  throw new PalimpsestError("summarizer-failed", `No summary could be written: ${last.reason}`, {
    details: { attempts },
  });
}

/** A second pass leaves at least this many messages in the tail. */
const LEAST_TAIL = 2;

/** Compacts again where a compaction left the prompt above its trigger. Returns undefined where that is not due. */
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
  const tailMessages = Math.max(LEAST_TAIL, Math.floor((settings.tail.messages ?? LEAST_TAIL) / 2));
  return compactNow(state, task, { ...options, tailMessages, atDepthCap: "fold" });
}

export interface CompactionReport {
  readonly reason: string;
  readonly steps: Proposal["steps"];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** False for a compaction of one request, of which the log keeps nothing. */
  readonly isRecorded: boolean;
  /** Every attempt to have a summary written, with its cost. */
  readonly attempts: readonly SummaryAttempt[];
  readonly gate?: GateVerdict | undefined;
  readonly entryIds: readonly EntryId[];
}

export interface WriteOptions {
  readonly options: CompactOptions;
  readonly lease: HeldLease;
  readonly attempts: readonly SummaryAttempt[];
  readonly durationMs: number;
  readonly gate?: GateVerdict | undefined;
}

/** The reason of a proposal that was planned on an older epoch. */
export const SESSION_CHANGED = "The session changed while the compaction was prepared.";

const PINS_RELEASED =
  "Pins were released because nothing else could make the prompt fit; a note of their first words stands in their place.";

const SEALED_LEFT_OUT =
  "A compaction by the provider, which only the provider can read, is no longer sent: it takes more than a quarter of the budget.";

function hasSealed({ kept, messages }: View): boolean {
  return [...kept, ...messages].some(({ message }) => hasSealedCompaction(message));
}

/** Returns undefined when the session has changed since the proposal was made. */
export async function writeProposal(
  state: SessionState,
  conversation: Conversation,
  proposal: Proposal,
  { options, lease, attempts, durationMs, gate }: WriteOptions,
): Promise<CompactionReport | undefined> {
  const { reason, phase, limits, settings } = options;
  const { steps, tokensBefore, tokensAfter, weight, changes } = proposal;
  const { emitter } = state.context;
  const ending = { sessionId: state.id, phase, attempts, durationMs };
  const commit = async () => {
    const { retention } = settings;
    const erasing = await findErasable(state, conversation, { changes, retention });
    return state.commit(conversation, { ...erasing, fence: lease.fence });
  };
  const outcome = await commit().catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    emitter.emit("compaction-end", { ...ending, outcome: "failed", reason: text });
    throw error;
  });
  if (outcome.type === "stale") {
    emitter.emit("compaction-end", { ...ending, outcome: "stale", reason: SESSION_CHANGED });
    return undefined;
  }
  if (changes.some(({ type }) => type === "unpin")) state.warn(PINS_RELEASED);
  const { entryIds } = outcome;
  const record = changes.find((change) => change.type === "summary")?.record;
  const after = await state.current();
  if (hasSealed(conversation.view) && !hasSealed(after.view)) state.warn(SEALED_LEFT_OUT);
  const messages = after.assembler.items.map((item) => item.message);
  const sizes = { steps, tokensBefore, tokensAfter, weight, ratio: tokensBefore / Math.max(1, limits.limitTokens) };
  const compressedMessages = record?.messageIds.length ?? 0;
  emitter.emit("compaction", { ...ending, ...sizes, reason, entryIds, record, compressedMessages, messages, gate });
  return { reason, steps, tokensBefore, tokensAfter, isRecorded: true, attempts, gate, entryIds };
}

/** Returns the smaller view for one request. Writes nothing. */
export function applyToView(
  view: View,
  proposal: Proposal,
  { options, attempts }: Pick<WriteOptions, "options" | "attempts">,
): { readonly view: View; readonly report: CompactionReport } {
  const { changes, steps, tokensBefore, tokensAfter } = proposal;
  const head = foldChanges(view.head, changes);
  const { reason, measure } = options;
  const report = { reason, steps, tokensBefore, tokensAfter, isRecorded: false, attempts, entryIds: [] };
  return { view: reviseView(view, head, measure.counts), report };
}
