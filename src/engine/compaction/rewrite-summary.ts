/** Replaces the text of the live summary: by the summarizer, by hand, or from a late answer. An undo restores it. */
import { PalimpsestError } from "../../core/errors.ts";
import { reviseView } from "../../core/log/view.ts";
import { type Change, foldChanges, type Proposal } from "../../core/plan/proposal.ts";
import type { SummaryTask } from "../../core/plan/staircase.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { summaryCap } from "../../core/summary/record/trim-summary.ts";
import { throwIfAborted } from "../context/errors.ts";
import type { CompactionPhase, SummaryAttempt } from "../context/events.ts";
import { estimatePrompt, type PromptRequest } from "../context/prompt-request.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import { type CompactionWork, type CompactOptions, isCacheWarm, type SessionSnapshot } from "../state/find-need.ts";
import { measureRequest, measureSession, resolveRequest } from "../state/measure-session.ts";
import { type HeldLease, withLease } from "../state/session-lease.ts";
import type { SessionState } from "../state/session-state.ts";
import { type CompactionOutcome, type CompactionReport, writeProposal } from "./compact-now.ts";
import { type CompactOutcome, type CompactRequest, editRecord } from "./manual-compaction.ts";
import { readStretch, requireRecord } from "./read-log.ts";
import { writeSummary } from "./write-summary.ts";

export async function resummarize(
  state: SessionState,
  { request, instructions, signal }: CompactRequest & { readonly request: PromptRequest },
  waiting: CallerWait,
): Promise<CompactOutcome> {
  const resolved = await resolveRequest(state, request);
  const snapshot = await measureSession(state, resolved);
  const { head } = snapshot.conversation;
  const attempts: SummaryAttempt[] = [];
  const live = head.summary;
  if (live === undefined) return { type: "nothing-to-compact", reason: "There is no summary yet.", attempts };
  if (live.origin !== undefined) return { type: "nothing-to-compact", reason: SOURCE_MISSING, attempts };
  const messages = (await readStretch(state, live)).filter(({ erased }) => erased !== true);
  if (messages.length === 0) return { type: "nothing-to-compact", reason: SOURCE_DELETED, attempts };
  const { settings, limits } = resolved;
  const task: SummaryTask = {
    stretch: messages.map(({ message }) => message),
    previous: live.parentId === undefined ? undefined : await requireRecord(state, live.parentId),
    coverage: live.coverage,
    omitted: live.omitted,
    capTokens: Math.floor(summaryCap(settings.summary, limits.limitTokens) / snapshot.measure.calibration.factor),
    replacedTokens: undefined,
    tokensBefore: live.tokensBefore,
    keepsDepth: false,
    reason: "rewrite requested manually",
  };
  const { context } = state;
  const write = async (lease: HeldLease) => {
    // The summary that a pending call would replace is about to be replaced.
    state.late.discard();
    await state.late.wait();
    const { counter } = snapshot.measure.counts;
    const summarizer = context.summarizerFor?.(settings);
    const { late } = state;
    const call = { context, sessionId: state.id, signal: lease.signal, attempts, waiting, late };
    const answer = await writeSummary(task, { ...call, settings, counter, summarizer, instructions });
    if (answer.type === "failed") return { type: "nothing-to-compact", reason: answer.reason, attempts } as const;
    const record = { ...answer.record, depth: live.depth };
    throwIfAborted(signal);
    const report = await replaceSummary(state, record, { snapshot, fence: lease.fence, attempts });
    return report === undefined ? ({ type: "stale" } as const) : ({ type: "compacted", report } as const);
  };
  return withLease(state, write, signal);
}

const SOURCE_DELETED = "The messages of this summary were deleted.";
const SOURCE_MISSING = "This summary was imported with the history; its source messages are not in this session.";

export async function editSummary(
  state: SessionState,
  { text, request }: { readonly text: string; readonly request: PromptRequest },
): Promise<SummaryRecord> {
  const snapshot = await measureRequest(state, request);
  const { ids, clock } = state.context;
  const { summary } = snapshot.conversation.head;
  if (summary === undefined) throw new PalimpsestError("message-not-found", "There is no summary to edit.");
  const id: string = ids.entry("summary");
  const record: SummaryRecord = {
    ...editRecord(summary, text, snapshot),
    // The cost belongs to the previous text.
    costUsd: 0,
    id,
    at: clock.now(),
    reason: "edited by hand",
  };
  if ((await replaceSummary(state, record, { snapshot, attempts: [] })) !== undefined) return record;
  throw new PalimpsestError(
    "store-conflict",
    "The session changed while the summary was edited. Read the summary and edit it again.",
  );
}

interface ReplaceOptions extends Pick<CompactionWork, "attempts"> {
  readonly fence?: number | undefined;
  readonly snapshot: SessionSnapshot;
  readonly phase?: CompactionPhase | undefined;
}

/** Writes and emits the record like any compaction. Returns undefined when the session has changed. */
async function replaceSummary(
  state: SessionState,
  record: SummaryRecord,
  { snapshot, fence, attempts, phase = "manual" }: ReplaceOptions,
): Promise<CompactionReport | undefined> {
  const { conversation, limits, measure, promptTokens } = snapshot;
  const { keptRequests } = conversation.head;
  const changes: readonly Change[] = [{ type: "summary", record, keptRequests }];
  const view = reviseView(conversation.view, foldChanges(conversation.head, changes), measure.counts);
  const weight = { removedTokens: 0, addedTokens: 0, keptTokens: 0 };
  const sizes = { tokensBefore: promptTokens, tokensAfter: estimatePrompt(view, measure), weight };
  const proposal: Proposal = { type: "proposal", changes, steps: ["summarise"], ...sizes };
  // The messages that it covers are covered already, so nothing more is erased.
  const settings = { ...snapshot.settings, retention: "keep" } as const;
  const options: CompactOptions = {
    ...{ limits, measure, settings, phase, reason: record.reason },
    urgency: "soft",
    writtenBy: "model",
    triggers: ["manual"],
  };
  return writeProposal(state, conversation, { proposal, options, fence, attempts, durationMs: 0 });
}

/** Applies a summarizer's late answer once the provider's cache is cold. Returns undefined if nothing changes. */
export async function applyLateSummary(
  state: SessionState,
  snapshot: SessionSnapshot,
): Promise<CompactionOutcome | undefined> {
  const { head } = snapshot.conversation;
  const answer = state.late.find(head.summary?.id);
  if (answer === undefined || isCacheWarm(head, snapshot)) return undefined;
  const grownTokens = answer.record.tokensAfter - (head.summary?.tokensAfter ?? 0);
  if (snapshot.promptTokens + grownTokens > snapshot.limits.limitTokens) {
    state.late.discard();
    return undefined;
  }
  const { attempts, record } = answer;
  const report = await replaceSummary(state, record, { snapshot, attempts, phase: "background" });
  if (report === undefined) {
    state.late.discard();
    return { type: "again" };
  }
  state.late.take(answer);
  return { type: "written", report };
}
