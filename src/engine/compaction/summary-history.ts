/**
 * The chain of a session's summaries over time, and what each stands for. The log keeps every record and every message,
 * so this is reading; writing one anew or by hand is a change of the past like any other, and can be undone.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { type CacheComparison, compareCacheUse } from "../../core/log/cache-use.ts";
import type { MessageEntry } from "../../core/log/entry.ts";
import { reviseView } from "../../core/log/view.ts";
import type { Message } from "../../core/message/message.ts";
import { type Change, foldChanges, type Proposal } from "../../core/plan/proposal.ts";
import type { SummaryTask } from "../../core/plan/staircase.ts";
import type { SummaryRecord, VerificationReport } from "../../core/summary/record/record.ts";
import { summaryCap } from "../../core/summary/record/trim-summary.ts";
import { verifySummaryInSteps } from "../../core/summary/verify/verify-summary.ts";
import { runInSteps, yieldToEventLoop } from "../context/breathe.ts";
import type { CompactionPhase } from "../context/events.ts";
import type { PromptRequest } from "../context/prompt-request.ts";
import { estimatePrompt } from "../context/prompt-size.ts";
import type { SummaryAttempt } from "../context/summary-attempt.ts";
import { throwIfAborted } from "../context/throw-if-aborted.ts";
import type { SessionSnapshot } from "../state/find-need.ts";
import { type HeldLease, NO_LEASE, withLease } from "../state/hold-lease.ts";
import { measureSession, resolveRequest } from "../state/look-at.ts";
import type { SessionState } from "../state/session-state.ts";
import { type CompactionReport, createWriter, writeProposal } from "./compact.ts";
import { type CompactOutcome, type CompactRequest, editRecord } from "./manual-compaction.ts";
import { writeSummary } from "./write-summary.ts";

const PAGE = 500;

export interface SummaryVersion {
  readonly record: SummaryRecord;
  /** Whether it is what the model sees now. */
  readonly isLive: boolean;
  /** What its provider reported of its cache before it was written and after; of the newest changes of a session. */
  readonly cache: CacheComparison;
}

export interface Expanded {
  readonly record: SummaryRecord;
  /** What it was made of beside the summary before it, as it was said. */
  readonly messages: readonly Message[];
  /** Messages of it whose text its owner had removed. */
  readonly erasedIds: readonly string[];
}

/** Oldest first. */
export async function readSummaryHistory(state: SessionState): Promise<readonly SummaryVersion[]> {
  const { store } = state.context;
  const entries = await store.readEntries(state.id, { types: ["summary"] });
  const { summary, cacheUse } = (await state.current()).head;
  return entries.flatMap((entry) => {
    if (entry.type !== "summary") return [];
    return [{ record: entry.record, isLive: entry.id === summary?.id, cache: compareCacheUse(cacheUse, entry.epoch) }];
  });
}

export async function expandSummary(state: SessionState, summaryId: string): Promise<Expanded> {
  const record = await requireRecord(state, summaryId);
  const entries = await readStretch(state, record);
  const [messages, erasedIds]: [Message[], string[]] = [[], []];
  for (const { id, erased, message } of entries) {
    if (erased === true) erasedIds.push(id);
    else messages.push(structuredClone(message));
    await yieldToEventLoop();
  }
  return { record, messages, erasedIds };
}

export function verifyExpanded({ record, messages }: Expanded): Promise<VerificationReport> {
  return runInSteps(verifySummaryInSteps(record, messages));
}

/** Writes the newest summary anew from what it stands for. Without one there is nothing to write anew. */
export async function resummarize(
  state: SessionState,
  { request, instructions, signal }: CompactRequest & { readonly request: PromptRequest },
): Promise<CompactOutcome> {
  const ready = await resolveRequest(state, request);
  const snapshot = await measureSession(state, { ...ready, refusal: undefined });
  const { head } = snapshot.conversation;
  const attempts: SummaryAttempt[] = [];
  const live = head.summary;
  if (live === undefined) return { type: "nothing-to-compact", reason: "There is no summary yet.", attempts };
  if (live.origin !== undefined) return { type: "nothing-to-compact", reason: NOT_HERE, attempts };
  const said = (await readStretch(state, live)).filter(({ erased }) => erased !== true);
  if (said.length === 0)
    return { type: "nothing-to-compact", reason: "The messages of this summary were deleted.", attempts };
  const { settings, limits } = ready;
  const task: SummaryTask = {
    stretch: said.map(({ message }) => message),
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
  const write = async (hold: HeldLease) => {
    // The summary that a pending call would replace is about to be replaced.
    state.late.discard();
    await state.late.wait();
    const { counter } = snapshot.measure.counts;
    const wish = { settings, counter, summarizer: context.summarizerFor?.(settings), instructions, attempts };
    const writer = createWriter(wish, { context, sessionId: state.id, signal: hold.signal });
    const answer = await writeSummary(task, writer);
    if (answer.type === "failed") return { type: "nothing-to-compact", reason: answer.reason, attempts } as const;
    const record = { ...answer.record, depth: live.depth };
    throwIfAborted(signal);
    const report = await replaceSummary(state, record, { snapshot, hold, attempts });
    return report === undefined ? ({ type: "stale" } as const) : ({ type: "compacted", report } as const);
  };
  const held = await withLease(state, write, signal);
  return held.type === "busy" ? { type: "busy" } : held.result;
}

const NOT_HERE = "This summary was imported with the history; its source messages are not in this session.";

/** Other words for the live summary, written by hand. */
export async function editSummary(
  state: SessionState,
  { text, request }: { readonly text: string; readonly request: PromptRequest },
): Promise<SummaryRecord> {
  const ready = await resolveRequest(state, request);
  const snapshot = await measureSession(state, { ...ready, refusal: undefined });
  const { ids, clock } = state.context;
  const { summary } = snapshot.conversation.head;
  if (summary === undefined) throw new PalimpsestError("message-not-found", "There is no summary to edit.");
  const id: string = ids.entry("summary");
  const record: SummaryRecord = {
    ...editRecord(summary, text, { snapshot, options: ready }),
    // What was paid was paid for the words before.
    costUsd: 0,
    id,
    at: clock.now(),
    reason: "edited by hand",
  };
  if ((await replaceSummary(state, record, { snapshot, hold: NO_LEASE, attempts: [] })) !== undefined) return record;
  throw new PalimpsestError(
    "store-conflict",
    "The session was changed while the summary was edited; look at it again.",
  );
}

interface Replacing {
  readonly snapshot: SessionSnapshot;
  readonly hold: HeldLease;
  readonly attempts: readonly SummaryAttempt[];
  /** `manual` unless told otherwise. */
  readonly phase?: CompactionPhase | undefined;
}

/** Other words for the same stretch, written and told like any compaction; undefined where the past has changed. */
export async function replaceSummary(
  state: SessionState,
  record: SummaryRecord,
  { snapshot, hold, attempts, phase = "manual" }: Replacing,
): Promise<CompactionReport | undefined> {
  const { conversation, limits, measure, promptTokens } = snapshot;
  const { keptRequests } = conversation.head;
  const changes: readonly Change[] = [{ type: "summary", record, keptRequests }];
  const view = reviseView(conversation.view, foldChanges(conversation.head, changes), measure.counts);
  const weight = { removedTokens: 0, addedTokens: 0, keptTokens: 0 };
  const sizes = { tokensBefore: promptTokens, tokensAfter: estimatePrompt(view, measure), weight };
  const proposal: Proposal = { type: "proposal", changes, steps: ["summarise"], ...sizes };
  // What it stands for is covered already, so nothing more is erased.
  const settings = { ...snapshot.settings, retention: "keep" } as const;
  const by = { limits, measure, settings, need: "soft", phase, asks: "anybody" } as const;
  const options = { ...by, triggers: ["manual"], reason: record.reason } as const;
  return writeProposal(state, conversation, proposal, { options, hold, attempts, durationMs: 0 });
}

async function requireRecord(state: SessionState, summaryId: string): Promise<SummaryRecord> {
  const entry = await state.context.store.findEntry(state.id, summaryId);
  if (entry?.type === "summary") return entry.record;
  throw new PalimpsestError("message-not-found", `There is no summary ${JSON.stringify(summaryId)} in this session.`);
}

async function readStretch(state: SessionState, record: SummaryRecord): Promise<readonly MessageEntry[]> {
  const ids = new Set(record.messageIds);
  const { firstSeq, lastSeq: throughSeq } = record.coverage;
  const found: MessageEntry[] = [];
  for (let afterSeq = firstSeq - 1; ; ) {
    const range = { afterSeq, throughSeq, types: ["message"], limit: PAGE } as const;
    const page = await state.context.store.readEntries(state.id, range);
    for (const entry of page) if (entry.type === "message" && ids.has(entry.id)) found.push(entry);
    if (page.length < PAGE) return found;
    await yieldToEventLoop();
    afterSeq = page.at(-1)?.seq ?? throughSeq;
  }
}
