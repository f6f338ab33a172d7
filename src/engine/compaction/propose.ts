/** Proposes a compaction: runs the planner's staircase, and provides the summaries and boundaries that it requests. */
import { PalimpsestError } from "../../core/errors.ts";
import type { View } from "../../core/log/view.ts";
import type { Message } from "../../core/message/message.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { DoesNotFit, NothingToDo, Proposal } from "../../core/plan/proposal.ts";
import { proposeCompaction } from "../../core/plan/propose-compaction.ts";
import type { BoundaryAnswer, Staircase, SummaryAnswer, SummaryTask } from "../../core/plan/staircase.ts";
import { chainHashInSteps, type SummaryRecord } from "../../core/summary/record/record.ts";
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import { findNewestBoundary } from "../../core/topics/find-topic-boundaries.ts";
import { runInSteps, yieldToEventLoop } from "../../ports/run-in-steps.ts";
import type { FoundBoundary, OwnPrompt } from "../../ports/summarizer.ts";
import type { EngineContext } from "../context/engine-context.ts";
import { floorOfError, throwIfAborted } from "../context/errors.ts";
import type { EngineEvents, SummaryAttempt } from "../context/events.ts";
import { Progress } from "../context/wait-timer.ts";
import type { CompactionWork, CompactOptions, SessionSnapshot } from "../state/find-need.ts";
import type { HeldLease } from "../state/session-lease.ts";
import type { SessionState } from "../state/session-state.ts";
import { createNeed, mayCallModel } from "./plan-compaction.ts";
import { type SummaryCall, startCall, writeSummary } from "./write-summary.ts";

export interface ProposeResult extends CompactionWork {
  readonly outcome: Proposal | NothingToDo;
}

export interface ProposeOptions extends Pick<SummaryCall, "waiting" | "progress"> {
  readonly snapshot: SessionSnapshot;
  readonly options: CompactOptions;
  readonly lease: HeldLease;
}

/** Emits a start event and proposes. On an error, emits an end event and throws the error. */
export async function proposeWithEvents(
  state: SessionState,
  { snapshot, options, lease, ...controls }: ProposeOptions,
): Promise<ProposeResult> {
  const { id: sessionId, late } = state;
  const { summarizer } = options;
  const { context: own } = state;
  const context = summarizer === undefined ? own : { ...own, summarizerFor: () => summarizer };
  const startedAt = context.clock.now();
  const attempts: SummaryAttempt[] = [];
  emitStart(state, options, snapshot);
  const isPriced = mayCallModel(state, options);
  // Calls that wait for a model would keep others waiting.
  if (isPriced) state.memory.leave();
  const priced = { ...options, isPriced };
  const by = { context, sessionId, late, signal: lease.signal, attempts, ...controls };
  try {
    const result = await propose(snapshot.conversation.view, priced, by);
    return { ...result, options, fence: lease.fence };
  } catch (error) {
    const durationMs = Math.max(0, context.clock.now() - startedAt);
    emitEnd(state, { options, attempts, durationMs }, describeError(error, options));
    throw error;
  }
}

/** A conversation that cannot be made smaller is not a failure while files can be left out of the prompt. */
function describeError(error: unknown, { mayShed }: CompactOptions): CompactionEnd {
  if (mayShed === true && floorOfError(error) !== undefined) {
    const reason = "The conversation cannot be made smaller; workspace files are left out instead.";
    return { outcome: "none", reason };
  }
  return { outcome: "failed", reason: error instanceof Error ? error.message : String(error) };
}

export function emitStart(
  state: SessionState,
  options: CompactOptions,
  { conversation, promptTokens, limits }: SessionSnapshot,
): void {
  const { phase, urgency: need, triggers, reason, settings } = options;
  const promptId = conversation.head.requests.at(-1)?.promptId;
  const cause = { sessionId: state.id, promptId, policy: settings.name, phase, need, triggers, reason };
  const ratio = promptTokens / Math.max(1, limits.limitTokens);
  state.context.emitter.emit("compaction-start", { ...cause, tokensBefore: promptTokens, ratio });
}

type CompactionEnd = Pick<EngineEvents["compaction-end"], "outcome" | "reason">;

export function emitEnd(state: SessionState, work: CompactionWork, end: CompactionEnd): void {
  const { options, attempts, durationMs } = work;
  const { phase } = options;
  state.context.emitter.emit("compaction-end", { sessionId: state.id, phase, attempts, durationMs, ...end });
}

export interface ProposeContext extends SummaryCall {
  readonly sessionId: string;
}

/** Returns a proposal, or why there is none. Throws `does-not-fit` if the prompt cannot be made to fit. */
export async function propose(shown: View, options: CompactOptions, by: ProposeContext): Promise<ProposeResult> {
  const { context, attempts = [] } = by;
  // Messages that are appended while a summary is written are not part of this proposal.
  const view = { ...shown, messages: [...shown.messages] };
  const startedAt = context.clock.now();
  const maySummarize = options.writtenBy === "model" && by.late?.isRunning !== true;
  const summarizer = maySummarize ? context.summarizerFor?.(options.settings) : undefined;
  const { settings, instructions, measure, limits } = options;
  const ownPrompt = summarizer === undefined ? undefined : chooseOwnPrompt(options);
  const { counter } = measure.counts;
  const isBackground = options.phase === "background" || options.phase === "post-response";
  const writer = { ...by, attempts, settings, counter, summarizer, instructions, ownPrompt, isBackground };
  const need = createNeed(view, options);
  const outcome = await driveStaircase(proposeCompaction(view, need), {
    writeSummary: async (task) => {
      if (summarizer !== undefined) {
        const known = await findKnownSummary(task, options, by);
        if (known !== undefined) return { type: "written", record: reuseRecord(known, task, context) };
      }
      const fullness = measureFullness(view, task, need.measure(view) / Math.max(1, limits.windowTokens));
      const written = await writeSummary(task, { ...writer, fullness });
      throwIfAborted(by.waiting?.signal);
      return written;
    },
    findBoundary: async (messages) => {
      const found = await findBoundary(messages, settings, by);
      throwIfAborted(by.waiting?.signal);
      return found;
    },
  });
  if (outcome.type === "does-not-fit") throw createFloorError(outcome);
  const durationMs = Math.max(0, context.clock.now() - startedAt);
  return { outcome: isEmpty(outcome) ? NOTHING : outcome, options, attempts, durationMs };
}

export interface StaircaseAnswers {
  readonly writeSummary: (task: SummaryTask) => Promise<SummaryAnswer>;
  readonly findBoundary: (messages: readonly Message[]) => Promise<BoundaryAnswer>;
}

/** Runs the staircase to its end, answers its requests, and yields to the event loop between its steps. */
export async function driveStaircase<Result>(staircase: Staircase<Result>, answers: StaircaseAnswers): Promise<Result> {
  for (;;) {
    const step = staircase.next();
    if (step.done === true) return step.value;
    if (step.value?.type === "summary") step.value.reply(await answers.writeSummary(step.value.task));
    else if (step.value?.type === "boundary") step.value.reply(await answers.findBoundary(step.value.messages));
    await yieldToEventLoop();
  }
}

/** A proposal without changes is neither written nor emitted. */
const NOTHING: NothingToDo = { type: "nothing", reason: "There is nothing to make smaller." };

function isEmpty(outcome: Proposal | NothingToDo): boolean {
  return outcome.type === "proposal" && outcome.changes.length === 0;
}

/** Copies a summary that is already paid for, under a new id. */
function reuseRecord(known: SummaryRecord, { reason }: SummaryTask, { ids, clock }: EngineContext): SummaryRecord {
  const id: string = ids.entry("summary");
  return { ...known, id, at: clock.now(), reason, costUsd: 0 };
}

/** A policy without the gate uses its configured form of request, even if the cached prompt would be cheaper. */
function chooseOwnPrompt({ ownPrompt, settings }: CompactOptions): OwnPrompt | undefined {
  const own = ownPrompt?.();
  return own === undefined || settings.gate ? own : { ...own, isWarm: false };
}

function measureFullness({ messages }: View, { coverage }: SummaryTask, tokenRatio: number) {
  return { tokenRatio, messageCount: messages.filter(({ seq }) => seq > coverage.lastSeq).length + 1 };
}

async function findBoundary(
  messages: readonly Message[],
  { topics }: PlanSettings,
  by: ProposeContext,
): Promise<BoundaryAnswer> {
  const { context, sessionId } = by;
  const none = { index: undefined, confidence: 0, reason: "No topic detector is configured." };
  const startedAt = context.clock.now();
  const { detector } = topics;
  const asked = detector === "model" ? await askDetector(messages, by) : undefined;
  const found = asked ?? (detector === "offline" ? findNewestBoundary(messages, topics.minConfidence) : none) ?? none;
  const { index, confidence, reason } = found;
  const { model, calls = 0, usage, costUsd = 0 } = asked ?? {};
  const durationMs = Math.max(0, context.clock.now() - startedAt);
  const cost = { detector, model, calls, usage, costUsd, durationMs };
  context.emitter.emit("topic-boundary", { sessionId, index, confidence, reason, ...cost });
  return found;
}

/** Calls the model within the caller's wait. A late answer is not used: its call is canceled, and its cost counted. */
async function askDetector(
  messages: readonly Message[],
  { context: { topicDetector }, signal, waiting }: ProposeContext,
): Promise<FoundBoundary | undefined> {
  if (topicDetector === undefined || waiting === undefined) return topicDetector?.findBoundary(messages, signal);
  if (waiting.timer.isOver) return undefined;
  const call = startCall(signal);
  const work = topicDetector.findBoundary(messages, call.signal);
  const ended = await waiting.timer.wait(work, new Progress());
  call.detach();
  if (ended !== undefined) return ended.result;
  const reason = "The topic detector did not answer in time.";
  call.stopLate(reason);
  const { summary: _, ...cost } = await work;
  return { ...cost, index: undefined, confidence: 0, reason };
}

function createFloorError({ floor }: DoesNotFit): PalimpsestError {
  const parts = floor.parts.map((part) => `${part.name} ${part.tokens}`).join(", ");
  const text =
    `The prompt cannot be made smaller than ${floor.floorTokens} tokens, and ${floor.limitTokens} are allowed. ` +
    `It consists of: ${parts}. Make one of these smaller, or use a model with a larger window.`;
  return new PalimpsestError("does-not-fit", text, { details: { floor } });
}

const MAX_RECORDS = 20;

/** Finds a summary of the same messages and instructions that is already paid for, after an undo or in a fork. */
async function findKnownSummary(
  { stretch, previous, capTokens }: SummaryTask,
  { instructions }: CompactOptions,
  { context, sessionId }: ProposeContext,
): Promise<SummaryRecord | undefined> {
  const range = { types: ["summary"], newestFirst: true, limit: MAX_RECORDS } as const;
  const entries = await context.store.readEntries(sessionId, range);
  if (entries.length === 0) return undefined;
  const hash = await runInSteps(chainHashInSteps(previous?.coverage.chainHash, stretch));
  // Records keep the instructions without secrets.
  const clean = instructions === undefined ? undefined : redactSecrets(instructions).text;
  const records = entries.flatMap((entry) => (entry.type === "summary" ? [entry.record] : []));
  return records.find(
    (record) =>
      record.coverage.chainHash === hash &&
      record.parentId === previous?.id &&
      record.instructions === clean &&
      record.model !== undefined &&
      record.strategy !== "edited" &&
      record.text !== "" &&
      record.tokensAfter <= capTokens,
  );
}
