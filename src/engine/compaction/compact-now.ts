/**
 * One compaction in one go: proposed, and written as a batch where the policy wants it written. Where somebody is going
 * to be asked the session's lease is held meanwhile, so that one compaction is made wherever it is seen to be needed.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { View } from "../../core/log/view.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import type { Proposal } from "../../core/plan/proposal.ts";
import { findDepthCap } from "../../core/plan/triggers/check-trigger.ts";
import { findFrozen } from "../../core/prompt/tiers/tier-table.ts";
import type { CompactionPhase } from "../context/events.ts";
import { findEndOutcome } from "../context/summary-attempt.ts";
import { throwIfAborted } from "../context/throw-if-aborted.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import type { Conversation } from "../state/conversation.ts";
import type { SessionNeed, SessionSnapshot } from "../state/find-need.ts";
import { type HeldLease, LEASE_MS, NO_LEASE, withLease } from "../state/hold-lease.ts";
import { isCacheWarm } from "../state/is-cache-warm.ts";
import type { SessionState } from "../state/session-state.ts";
import { applyToView, type CompactionReport, type ProposeResult, writeProposal } from "./compact.ts";
import { emitEnd, mayAskModel, proposeWithEvents } from "./propose-aloud.ts";

export type CompactionOutcome =
  | { readonly type: "written"; readonly report: CompactionReport }
  /** For this request alone; the log is as before. */
  | { readonly type: "view-only"; readonly view: View; readonly report: CompactionReport }
  /** Not worth it now, or nobody could: the prompt goes out as it is. */
  | { readonly type: "held"; readonly reason: string; readonly gate?: GateVerdict | undefined }
  /** Somebody else was faster, or is at it: look again. */
  | { readonly type: "again" };

export interface CompactionTask {
  readonly snapshot: SessionSnapshot;
  readonly need: SessionNeed;
  readonly phase: CompactionPhase;
  readonly instructions?: string | undefined;
  /** Aborted when the job that it is done for has to end. */
  readonly signal?: AbortSignal | undefined;
  /** The caller that waits for it; undefined where the work goes on behind the session. */
  readonly waiting?: CallerWait | undefined;
}

/** How a compaction is to be made, from what asked for it. */
export function createCompactOptions({ snapshot, need, phase, instructions }: CompactionTask): CompactOptions {
  const { limits, measure, settings } = snapshot;
  const pressing = need.fired.filter((firing) => firing.need === need.need);
  const urgency = need.need === "hard" ? "hard" : "soft";
  const ownCap = pressing.find(({ atDepthCap }) => atDepthCap !== undefined)?.atDepthCap;
  return {
    limits,
    measure,
    settings,
    need: urgency,
    phase,
    triggers: need.fired.map(({ type }) => type),
    reason: pressing.map(({ reason }) => reason).join("; "),
    atDepthCap: ownCap ?? findDepthCap(settings.triggers, { facts: need.facts, need: urgency }),
    asks: settings.enabled ? "anybody" : "nobody",
    mayShed: phase === "pre-request" && (snapshot.workspace?.gathered.files.length ?? 0) > 0,
    isFrozen: frozenBy(snapshot),
    instructions,
    ownPrompt: snapshot.ownPrompt,
  };
}

/** While the provider's cache is warm, what stands in the first tiers is not pruned. */
function frozenBy({ conversation, limits, now }: SessionSnapshot): CompactOptions["isFrozen"] {
  const { head } = conversation;
  if (head.tiers === undefined || !isCacheWarm({ head, limits, now })) return undefined;
  return findFrozen(head.tiers);
}

/** In one go, under the lease where somebody is going to be asked. */
export async function compactNow(
  state: SessionState,
  action: CompactionTask,
  options = createCompactOptions(action),
): Promise<CompactionOutcome> {
  const { snapshot, waiting } = action;
  const { conversation } = snapshot;
  const work = async (hold: HeldLease): Promise<CompactionOutcome> => {
    if (hold.fence !== undefined && (await isOutdated(state, conversation))) return { type: "again" };
    const worked = await proposeWithEvents(state, { snapshot, options, signal: hold.signal, waiting });
    return settleProposal(state, { action, options, worked, hold });
  };
  if (!mayAskModel(state, options)) return work(NO_LEASE);
  for (let waitedMs = 0; ; waitedMs += BUSY_MS) {
    const held = await withLease(state, work, anyOf(action.signal, waiting?.signal));
    if (held.type === "done") return held.result;
    if (options.need === "soft" || waiting?.timer.isOver === true) return { type: "held", reason: BUSY };
    await state.context.sleep(BUSY_MS, waiting?.signal);
    throwIfAborted(waiting?.signal);
    if (waitedMs >= LEASE_MS || (await isOutdated(state, conversation))) return { type: "again" };
  }
}

function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length < 2 ? given[0] : AbortSignal.any(given);
}

/** Whether the past has changed since: who held the lease before may have done what is to be done. */
export async function isOutdated({ id, context }: SessionState, { head }: Conversation): Promise<boolean> {
  return (await context.store.findSession(id))?.head.epoch !== head.epoch;
}

export const BUSY = "Somebody else is compacting.";

/** How often somebody looks whether another's compaction is done. */
const BUSY_MS = 25;

export interface SettleOptions {
  readonly action: CompactionTask;
  readonly options: CompactOptions;
  readonly worked: ProposeResult;
  readonly hold: HeldLease;
}

export async function settleProposal(
  state: SessionState,
  { action, options, worked, hold }: SettleOptions,
): Promise<CompactionOutcome> {
  const { outcome, attempts, durationMs } = worked;
  const { conversation } = action.snapshot;
  requireSummary(state, worked, options);
  warnAboutFailure(state, worked, options);
  if (outcome.type === "nothing") {
    emitEnd(state, options, { worked, outcome: findEndOutcome(attempts), reason: outcome.reason });
    return { type: "held", reason: outcome.reason };
  }
  if (!isToBeWritten(outcome, { options, worked })) {
    emitEnd(state, options, {
      worked,
      outcome: "failed",
      reason: `Only this request was made smaller. ${lastFailure(worked)}`.trim(),
    });
    return { type: "view-only", ...applyToView(conversation.view, outcome, { options, attempts }) };
  }
  const { gate } = options;
  const report = await writeProposal(state, conversation, outcome, { options, hold, attempts, durationMs, gate });
  return report === undefined ? { type: "again" } : { type: "written", report };
}

/** A model that cannot be asked is no secret: who pays for one should hear of it, once. */
export function warnAboutFailure(state: SessionState, { attempts }: ProposeResult, { settings }: CompactOptions): void {
  const failed = attempts.find(({ outcome }) => outcome === "failed");
  if (failed === undefined || failed.rule === "aborted" || settings.summary.onFailure === "keep") return;
  state.warn(`No summary came from ${failed.model ?? "the summarizer"}: ${failed.reason}`, "summarizer-failed");
}

function lastFailure({ attempts }: ProposeResult): string {
  return attempts.findLast(({ outcome }) => outcome !== "accepted")?.reason ?? "";
}

/** A policy that keeps everything when nobody could summarise writes nothing without a summary. */
function isToBeWritten(
  { changes }: Proposal,
  { options, worked }: { readonly options: CompactOptions; readonly worked: ProposeResult },
): boolean {
  if (options.asks === "nobody") return false;
  if (options.settings.summary.onFailure !== "keep") return true;
  const isSummarised = changes.some(({ type }) => type === "summary");
  return isSummarised || worked.attempts.every(({ outcome }) => outcome === "accepted");
}

function requireSummary(state: SessionState, worked: ProposeResult, options: CompactOptions): void {
  const { outcome, attempts } = worked;
  const { settings } = options;
  const last = attempts.at(-1);
  if (!settings.summary.abortOnFailure || last === undefined || last.outcome === "accepted") return;
  const isSummarised = outcome.type === "proposal" && outcome.changes.some(({ type }) => type === "summary");
  if (isSummarised) return;
  emitEnd(state, options, { worked, outcome: "failed", reason: last.reason });
  throw new PalimpsestError("summarizer-failed", `No summary could be written: ${last.reason}`, {
    details: { attempts },
  });
}
