/** Compacts on request: at once, or as a preview that can be edited and applied until the epoch moves. */
import { PalimpsestError } from "../../core/errors.ts";
import { reviseView, type View } from "../../core/log/view.ts";
import type { MessageId } from "../../core/message/message.ts";
import { type Change, foldChanges, type StepName } from "../../core/plan/proposal.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { summaryCap } from "../../core/summary/record/trim-summary.ts";
import { countText } from "../../core/tokens/count-text.ts";
import type { Summarizer } from "../../ports/summarizer.ts";
import { findEndOutcome, type SummaryAttempt, sumCosts } from "../context/events.ts";
import { type AssumedRequest, estimatePrompt, type PromptRequest } from "../context/prompt-request.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import { type CompactOptions, findNeed, type ProposedCompaction, type SessionSnapshot } from "../state/find-need.ts";
import { measureRequest } from "../state/measure-session.ts";
import { type HeldLease, withLease } from "../state/session-lease.ts";
import type { SessionState } from "../state/session-state.ts";
import { type CompactionReport, isOutdated, writeProposal } from "./compact-now.ts";
import { type CompactionTask, createCompactOptions } from "./plan-compaction.ts";
import { emitEnd, proposeWithEvents } from "./propose.ts";

/**
 * What a requested compaction keeps, and who writes its summary.
 *
 * @example
 * ```ts
 * await session.compact({ instructions: "Keep all prices.", keep: { messages: 6 } });
 * ```
 */
export interface CompactRequest {
  /** Instructions for the summary, in addition to the built-in ones. */
  readonly instructions?: string | undefined;
  /** The prompt that the compaction makes room for; by default, one like the last. */
  readonly as?: AssumedRequest | undefined;
  /** The newest messages to keep verbatim, by number or by tokens; by default, the policy's tail. */
  readonly keep?: KeptTail | undefined;
  /** Writes the summary of this compaction instead of the engine's own summarizer. */
  readonly summarizer?: Summarizer | undefined;
  /** Stops waiting: the outcome is `aborted`, and nothing is changed. */
  readonly signal?: AbortSignal | undefined;
}

export interface KeptTail {
  readonly messages?: number | undefined;
  readonly tokens?: number | undefined;
}

/** The result of a requested compaction. Only `compacted` changed the session. */
export type CompactOutcome =
  | { readonly type: "compacted"; readonly report: CompactionReport }
  | { readonly type: "nothing-to-compact"; readonly reason: string; readonly attempts: readonly SummaryAttempt[] }
  /** The session changed after the proposal was made. */
  | { readonly type: "stale" }
  /** Another process is compacting this session. */
  | { readonly type: "busy" }
  | { readonly type: "aborted" };

export type NotCompacted = Exclude<CompactOutcome, { type: "compacted" }>;

/** A compaction that is prepared and not yet written: sizes before and after, and the summary, which can be edited. */
export interface CompactionPreview {
  readonly type: "preview";
  readonly before: PromptSize;
  readonly after: PromptSize;
  readonly steps: readonly StepName[];
  /** Ids of the messages that would stay verbatim, and of those that would not. */
  readonly kept: readonly MessageId[];
  readonly dropped: readonly MessageId[];
  readonly record: SummaryRecord | undefined;
  readonly attempts: readonly SummaryAttempt[];
  /** Cost so far: the summary of a preview is already written. */
  readonly costUsd: number;
  /** Returns the preview with another summary text, which must not exceed the policy's limit. */
  edit(text: string): CompactionPreview;
  apply(): Promise<CompactOutcome>;
  /** Whether the session has changed, so that the preview cannot be applied and may quote deleted text. */
  isStale(): Promise<boolean>;
}

export interface PromptSize {
  readonly tokens: number;
  readonly messages: number;
}

interface ManualRequest extends Pick<CompactRequest, "instructions" | "keep" | "summarizer"> {
  readonly request: PromptRequest;
}

export async function previewCompaction(
  state: SessionState,
  { request, instructions, keep, summarizer }: ManualRequest,
  waiting: CallerWait,
): Promise<CompactionPreview | NotCompacted> {
  const task = await createManualTask(state, request, instructions);
  const options = { ...createManualOptions(task, keep), summarizer };
  const { snapshot } = task;
  const preview = async (lease: HeldLease) => {
    const result = await proposeWithEvents(state, { snapshot, options, lease, waiting });
    // Only the epoch protects a preview from changes: its lease is released.
    const { outcome, ...work } = { ...result, fence: undefined };
    if (outcome.type === "proposal") return createPreview(state, snapshot, { ...work, proposal: outcome });
    const { reason } = outcome;
    emitEnd(state, work, { outcome: findEndOutcome(work.attempts), reason });
    return { type: "nothing-to-compact", reason, attempts: work.attempts } as const;
  };
  return withLease(state, preview, waiting.signal);
}

async function createManualTask(
  state: SessionState,
  request: PromptRequest,
  instructions: string | undefined,
): Promise<CompactionTask> {
  const snapshot = { ...(await measureRequest(state, request)), isAsked: true };
  return { snapshot, need: findNeed(snapshot, false), phase: "manual", instructions };
}

/** Returns options that fold everything before the tail, whatever the target is, unless the need is hard. */
function createManualOptions(task: CompactionTask, keep: KeptTail | undefined): CompactOptions {
  const options = createCompactOptions(task);
  if (options.urgency === "hard") return options;
  const tail = keep ?? options.settings.tail;
  const settings = { ...options.settings, tail, span: "before-tail", targetRatio: 1, pruneFirst: false } as const;
  return { ...options, settings, writtenBy: "model" };
}

function createPreview(state: SessionState, snapshot: SessionSnapshot, planned: ProposedCompaction): CompactionPreview {
  const { conversation, promptTokens, measure } = snapshot;
  const { proposal, attempts } = planned;
  const view = reviseView(conversation.view, foldChanges(conversation.head, proposal.changes), measure.counts);
  const shown = new Set(listVerbatimIds(view));
  const before = listVerbatimIds(conversation.view);
  return {
    type: "preview",
    before: { tokens: promptTokens, messages: before.length },
    after: { tokens: proposal.tokensAfter, messages: shown.size },
    steps: proposal.steps,
    kept: before.filter((id) => shown.has(id)),
    dropped: before.filter((id) => !shown.has(id)),
    record: proposal.changes.find((change) => change.type === "summary")?.record,
    attempts,
    costUsd: sumCosts(attempts),
    edit: (text) => createPreview(state, snapshot, replaceText(text, snapshot, planned)),
    isStale: () => isOutdated(state, conversation),
    async apply() {
      const report = await writeProposal(state, conversation, planned);
      return report === undefined ? { type: "stale" } : { type: "compacted", report };
    },
  };
}

function listVerbatimIds({ kept, messages }: View): readonly MessageId[] {
  return [...kept, ...messages].filter(({ message, shown }) => message === shown).map(({ message }) => message.id);
}

function replaceText(text: string, snapshot: SessionSnapshot, planned: ProposedCompaction): ProposedCompaction {
  const { settings } = planned.options;
  const changes = planned.proposal.changes.map((change): Change => {
    if (change.type !== "summary") return change;
    return { ...change, record: editRecord(change.record, text, { ...snapshot, settings }) };
  });
  const { conversation, measure } = snapshot;
  const view = reviseView(conversation.view, foldChanges(conversation.head, changes), measure.counts);
  return { ...planned, proposal: { ...planned.proposal, changes, tokensAfter: estimatePrompt(view, measure) } };
}

/** Replaces the text of a record. The new text is not verified. */
export function editRecord(
  record: SummaryRecord,
  text: string,
  { settings, measure, limits }: Pick<SessionSnapshot, "settings" | "measure" | "limits">,
): SummaryRecord {
  const capTokens = summaryCap(settings.summary, limits.limitTokens);
  if (typeof text !== "string" || text.trim() === "") {
    const text = "The text of a summary cannot be empty. To show the messages again, undo the compaction.";
    throw new PalimpsestError("message-invalid", text);
  }
  const tokensAfter = countText(text, measure.counts.counter);
  if (tokensAfter > capTokens) {
    const found = `The edited summary has ${tokensAfter} tokens, and this policy allows ${capTokens}.`;
    throw new PalimpsestError("message-invalid", `${found} Shorten it, or raise summary.maxTokens or summary.ratio.`);
  }
  const { verification, lines, ...rest } = record;
  return { ...rest, text, tokensAfter, strategy: "edited" };
}
