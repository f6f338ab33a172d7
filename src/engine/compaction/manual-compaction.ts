/**
 * Compactions that somebody asked for by name: at once, or as a proposal to look at, change and apply. They need not
 * pay for themselves and leave the policy's tail as it is. Applying a proposal that was made on an older past is
 * refused as stale; nothing is applied in part.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { reviseView, type View } from "../../core/log/view.ts";
import type { MessageId } from "../../core/message/message.ts";
import { type Change, foldChanges, type Proposal, type StepName } from "../../core/plan/proposal.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { summaryCap } from "../../core/summary/record/trim-summary.ts";
import { countText } from "../../core/tokens/count-text.ts";
import type { PromptRequest, SeenAs } from "../context/prompt-request.ts";
import { estimatePrompt } from "../context/prompt-size.ts";
import { type SummaryAttempt, sumCosts } from "../context/summary-attempt.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import { findNeed, type SessionSnapshot } from "../state/find-need.ts";
import { type HeldLease, NO_LEASE, withLease } from "../state/hold-lease.ts";
import { measureSession, resolveRequest } from "../state/look-at.ts";
import type { SessionState } from "../state/session-state.ts";
import { type CompactionReport, type ProposeResult, writeProposal } from "./compact.ts";
import { type CompactionTask, createCompactOptions, isOutdated } from "./compact-now.ts";
import { proposeWithEvents } from "./propose-aloud.ts";

export interface CompactRequest {
  /** What the summary should keep in mind. Added to our own instructions, never in place of them. */
  readonly instructions?: string | undefined;
  /** The prompt that it makes room for; as the last one was asked for without it. */
  readonly as?: SeenAs | undefined;
  /** Ends the waiting: the outcome is `aborted`, and nothing was changed. */
  readonly signal?: AbortSignal | undefined;
}

export type CompactOutcome =
  | { readonly type: "compacted"; readonly report: CompactionReport }
  | { readonly type: "nothing-to-compact"; readonly reason: string; readonly attempts: readonly SummaryAttempt[] }
  /** The past has changed since the proposal was made. */
  | { readonly type: "stale" }
  /** Another compaction of this session is under way elsewhere. */
  | { readonly type: "busy" }
  /** The caller's signal was aborted. */
  | { readonly type: "aborted" };

export type NotCompacted = Exclude<CompactOutcome, { type: "compacted" }>;

/** What a compaction would do. Nothing is written until it is applied. */
export interface CompactionPreview {
  readonly type: "preview";
  readonly before: Size;
  readonly after: Size;
  readonly steps: readonly StepName[];
  /** Messages that stay as they were said, and those that would no longer be shown so. */
  readonly kept: readonly MessageId[];
  readonly dropped: readonly MessageId[];
  readonly record: SummaryRecord | undefined;
  readonly attempts: readonly SummaryAttempt[];
  /** What it has cost already: a summary that is looked at is written. */
  readonly costUsd: number;
  /** The same with other words for the summary. They may not take more than the policy allows. */
  edit(text: string): CompactionPreview;
  apply(): Promise<CompactOutcome>;
  /** Whether the past has changed since: what it quotes may have been erased, and it can no longer be applied. */
  isStale(): Promise<boolean>;
}

export interface Size {
  readonly tokens: number;
  readonly messages: number;
}

interface Asked {
  readonly snapshot: SessionSnapshot;
  readonly options: CompactOptions;
  readonly worked: ProposeResult;
}

export async function previewCompaction(
  state: SessionState,
  {
    request,
    instructions,
    waiting,
  }: Pick<CompactRequest, "instructions"> & { readonly request: PromptRequest; readonly waiting: CallerWait },
): Promise<CompactionPreview | NotCompacted> {
  const action = await askedFor(state, request, instructions);
  const options = manualOptions(action);
  const { phase } = options;
  const { snapshot } = action;
  const propose = ({ signal }: HeldLease) => proposeWithEvents(state, { snapshot, options, signal, waiting });
  const held = await withLease(state, propose, waiting.signal);
  if (held.type === "busy") return { type: "busy" };
  const worked = held.result;
  const { outcome, attempts, durationMs } = worked;
  if (outcome.type === "proposal") return previewOf(state, outcome, { snapshot: action.snapshot, options, worked });
  const ending = { sessionId: state.id, phase, attempts, durationMs, reason: outcome.reason };
  const failed = attempts.some((attempt) => attempt.outcome !== "accepted");
  state.context.emitter.emit("compaction-end", { ...ending, outcome: failed ? "failed" : "none" });
  return { type: "nothing-to-compact", reason: outcome.reason, attempts };
}

async function askedFor(
  state: SessionState,
  request: PromptRequest,
  instructions: string | undefined,
): Promise<CompactionTask> {
  const ready = await resolveRequest(state, request);
  const looked = await measureSession(state, { ...ready, refusal: undefined });
  const snapshot = { ...looked, isAsked: true };
  return { snapshot, need: findNeed(snapshot, false), phase: "manual", instructions };
}

/** Everything before the tail, whatever the target is. */
function manualOptions(action: CompactionTask): CompactOptions {
  const options = createCompactOptions(action);
  if (options.need === "hard") return options;
  const settings = { ...options.settings, span: "before-tail", targetRatio: 1, pruneFirst: false } as const;
  return { ...options, settings, asks: "anybody" };
}

function previewOf(state: SessionState, proposal: Proposal, asked: Asked): CompactionPreview {
  const { snapshot, worked, options } = asked;
  const { conversation, promptTokens, measure } = snapshot;
  const view = reviseView(conversation.view, foldChanges(conversation.head, proposal.changes), measure.counts);
  const shown = new Set(shownIds(view));
  const before = shownIds(conversation.view);
  return {
    type: "preview",
    before: { tokens: promptTokens, messages: before.length },
    after: { tokens: proposal.tokensAfter, messages: shown.size },
    steps: proposal.steps,
    kept: before.filter((id) => shown.has(id)),
    dropped: before.filter((id) => !shown.has(id)),
    record: recordOf(proposal),
    attempts: worked.attempts,
    costUsd: sumCosts(worked.attempts),
    edit: (text) => previewOf(state, withText(proposal, text, asked), asked),
    isStale: () => isOutdated(state, conversation),
    async apply() {
      const { attempts, durationMs } = worked;
      const written = { options, hold: NO_LEASE, attempts, durationMs };
      const report = await writeProposal(state, conversation, proposal, written);
      return report === undefined ? { type: "stale" } : { type: "compacted", report };
    },
  };
}

/** Messages that are shown as they were said. */
function shownIds({ kept, messages }: View): readonly MessageId[] {
  return [...kept, ...messages].filter(({ message, shown }) => message === shown).map(({ message }) => message.id);
}

function recordOf({ changes }: Proposal): SummaryRecord | undefined {
  return changes.find((change) => change.type === "summary")?.record;
}

function withText(proposal: Proposal, text: string, { snapshot, options }: Asked): Proposal {
  const changes = proposal.changes.map((change): Change => {
    if (change.type !== "summary") return change;
    return { ...change, record: editRecord(change.record, text, { snapshot, options }) };
  });
  const head = foldChanges(snapshot.conversation.head, changes);
  const view = reviseView(snapshot.conversation.view, head, snapshot.measure.counts);
  return { ...proposal, changes, tokensAfter: estimatePrompt(view, snapshot.measure) };
}

/** A record with other words. It was not checked: whoever wrote them answers for them. */
export function editRecord(
  record: SummaryRecord,
  text: string,
  { snapshot, options }: { readonly snapshot: SessionSnapshot; readonly options: Pick<CompactOptions, "settings"> },
): SummaryRecord {
  const { summary } = options.settings;
  const { measure, limits } = snapshot;
  const capTokens = summaryCap(summary, limits.limitTokens);
  if (typeof text !== "string" || text.trim() === "") {
    throw new PalimpsestError("message-invalid", "A summary cannot be edited to nothing; undo it or clear instead.");
  }
  const tokensAfter = countText(text, measure.counts.counter);
  if (tokensAfter > capTokens) {
    const found = `The edited summary takes ${tokensAfter} tokens, and this policy allows ${capTokens}.`;
    throw new PalimpsestError("message-invalid", `${found} Shorten it, or raise summary.maxTokens or summary.ratio.`);
  }
  const { verification, lines, ...rest } = record;
  return { ...rest, text, tokensAfter, strategy: "edited" };
}
