/**
 * Makes a conversation smaller: has the planner propose, brings it what it asks for, and writes the proposal as one
 * batch, or applies it to a view of this one request. A batch that somebody else was faster than is thrown away and
 * planned again on what they left.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { EntryId } from "../../core/log/entry.ts";
import { reviseView, type View } from "../../core/log/view.ts";
import type { Message } from "../../core/message/message.ts";
import { hasSealedCompaction } from "../../core/message/provider-compaction.ts";
import { adaptSettingsToView, computeTargetTokens } from "../../core/plan/adapt-settings.ts";
import type { CompactionNeed } from "../../core/plan/compaction-need.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import { estimateFold, type FoldEstimate } from "../../core/plan/fold-oldest.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import { type DoesNotFit, foldChanges, type NothingToDo, type Proposal } from "../../core/plan/proposal.ts";
import { proposeCompaction } from "../../core/plan/propose-compaction.ts";
import type { BoundaryAnswer, SummaryTask } from "../../core/plan/staircase.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import { findNewestBoundary } from "../../core/topics/find-topic-boundaries.ts";
import type { OwnPrompt } from "../../ports/summarizer.ts";
import type { EngineContext } from "../context/engine-context.ts";
import { describeFloor, estimateInSteps, estimatePrompt } from "../context/prompt-size.ts";
import type { SummaryAttempt } from "../context/summary-attempt.ts";
import { throwIfAborted } from "../context/throw-if-aborted.ts";
import type { CallerWait, Progress } from "../context/wait-timer.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import type { Conversation } from "../state/conversation.ts";
import { findErasable } from "../state/find-erasable.ts";
import type { HeldLease } from "../state/hold-lease.ts";
import type { LateSummary } from "../state/late-summary.ts";
import type { SessionState } from "../state/session-state.ts";
import { driveStaircase } from "./drive-staircase.ts";
import { findKnownSummary } from "./find-known-summary.ts";
import { type SummaryWriter, writeSummary } from "./write-summary.ts";

export interface CompactionReport {
  readonly reason: string;
  readonly steps: Proposal["steps"];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** False when it was made for one request and the log says nothing of it. */
  readonly isRecorded: boolean;
  /** Every try to have a summary written, with what it cost. */
  readonly attempts: readonly SummaryAttempt[];
  readonly gate?: GateVerdict | undefined;
  readonly entryIds: readonly EntryId[];
}

export interface ProposeResult {
  readonly outcome: Proposal | NothingToDo;
  readonly attempts: readonly SummaryAttempt[];
  readonly durationMs: number;
}

export interface ProposeContext {
  readonly context: EngineContext;
  readonly sessionId: string;
  readonly signal: AbortSignal;
  /** The caller that waits for it. */
  readonly waiting?: CallerWait | undefined;
  /** Where answers go that the caller no longer waits for. */
  readonly late?: LateSummary | undefined;
  /** Told of signs of life where no caller waits. */
  readonly progress?: Progress | undefined;
}

/** A proposal or why there is none. What cannot be made to fit at all is an error. */
export async function propose(shown: View, options: CompactOptions, by: ProposeContext): Promise<ProposeResult> {
  const { context, sessionId } = by;
  // Messages that arrive while somebody writes are no part of what is proposed.
  const view = { ...shown, messages: [...shown.messages] };
  const startedAt = context.clock.now();
  const attempts: SummaryAttempt[] = [];
  const mayAsk = options.asks === "anybody" && by.late?.isUnderWay !== true;
  const summarizer = mayAsk ? context.summarizerFor?.(options.settings) : undefined;
  const { settings, instructions, measure } = options;
  const ownPrompt = summarizer === undefined ? undefined : readOwnPrompt(options);
  const wish = { settings, counter: measure.counts.counter, summarizer, instructions, ownPrompt, attempts };
  const need = createNeed(view, options);
  const outcome = await driveStaircase(proposeCompaction(view, need), {
    writeSummary: async (task) => {
      if (summarizer !== undefined) {
        const known = await findKnownSummary(task, { store: context.store, sessionId, instructions });
        if (known !== undefined) return { type: "written", record: renewRecord(known, task, context) };
      }
      const written = await writeSummary(task, {
        ...createWriter(wish, by),
        fullness: readFullness(view, task, { ...options, promptTokens: need.measure(view) }),
      });
      throwIfAborted(by.waiting?.signal);
      return written;
    },
    findBoundary: async (messages) => {
      const found = await findBoundary(messages, settings, by);
      throwIfAborted(by.waiting?.signal);
      return found;
    },
  });
  if (outcome.type === "does-not-fit") throw floorError(outcome);
  const durationMs = Math.max(0, context.clock.now() - startedAt);
  return { outcome: isEmpty(outcome) ? NOTHING : outcome, attempts, durationMs };
}

/** It fits, and not a token can go: no change of the past, and not one to be told of. */
const NOTHING: NothingToDo = { type: "nothing", reason: "There is nothing to make smaller." };

function isEmpty(outcome: Proposal | NothingToDo): boolean {
  return outcome.type === "proposal" && outcome.changes.length === 0;
}

export interface WriterOptions
  extends Pick<SummaryWriter, "settings" | "counter" | "summarizer" | "instructions" | "ownPrompt"> {
  /** Where every try is noted. */
  readonly attempts: SummaryAttempt[];
}

/** Somebody to write one summary, who tells of every try. */
export function createWriter(
  { attempts, ...wish }: WriterOptions,
  { context, sessionId, signal, waiting, late, progress }: ProposeContext,
): SummaryWriter {
  return {
    ...wish,
    timer: waiting?.timer,
    late,
    progress,
    now: () => context.clock.now(),
    newId: () => context.ids.entry("summary"),
    newNonce: context.newNonce,
    signal,
    onAttempt: (attempt) => {
      attempts.push(attempt);
      context.emitter.emit("summary", { sessionId, ...attempt });
    },
    onTrimmed: (tokens) => context.emitter.emit("summary.trimmed", { sessionId, ...tokens }),
  };
}

/** The same words once more, at no cost. */
function renewRecord(known: SummaryRecord, { reason }: SummaryTask, { ids, clock }: EngineContext): SummaryRecord {
  const id: string = ids.entry("summary");
  return { ...known, id, at: clock.now(), reason, costUsd: 0 };
}

/** A policy that weighs no costs asks in the form that it names, also where the other would be cheaper. */
function readOwnPrompt({ ownPrompt, settings }: CompactOptions): OwnPrompt | undefined {
  const own = ownPrompt?.();
  return own === undefined || settings.gate ? own : { ...own, isWarm: false };
}

interface Filling extends Pick<CompactOptions, "limits"> {
  readonly promptTokens: number;
}

function readFullness(view: View, { coverage }: SummaryTask, { limits, promptTokens }: Filling) {
  const left = view.messages.filter(({ seq }) => seq > coverage.lastSeq).length;
  const tokenRatio = promptTokens / Math.max(1, limits.windowTokens);
  return { tokenRatio, messageCount: left + 1 };
}

/** What folding would come to, before anybody is asked for a word. */
export function estimateProposal(view: View, promptTokens: number, options: CompactOptions): FoldEstimate | undefined {
  return estimateFold(view, promptTokens, createNeed(view, options));
}

/** What the planner is asked for, and how it measures. */
export function createNeed(view: View, options: CompactOptions): CompactionNeed {
  const settings = adaptSettingsToView(options.settings, view);
  const { limits, measure, need, reason, atDepthCap, tailMessages, isSecondPass, asks } = options;
  const known = new WeakMap<View, number>();
  return {
    urgency: need,
    limitTokens: limits.limitTokens,
    targetTokens: computeTargetTokens(settings, limits.limitTokens),
    settings,
    reason,
    atDepthCap,
    tailMessages,
    isSecondPass,
    mayAsk: asks !== "nobody",
    mayShed: options.mayShed,
    isFrozen: options.isFrozen,
    isPriced: options.isPriced,
    measure: (candidate: View) => known.get(candidate) ?? estimatePrompt(candidate, measure),
    *measureAhead(candidate: View) {
      known.set(candidate, yield* estimateInSteps(candidate, measure));
    },
    uncalibrate: (tokens: number) => Math.floor(tokens / measure.calibration.factor),
    count: measure.counts.count,
    countPart: measure.counts.countPart,
    countAhead: (message: Message) => measure.counts.countInSteps(message),
    describeFloor: (candidate: View) => describeFloor(candidate, measure),
  };
}

async function findBoundary(
  messages: readonly Message[],
  { topics }: PlanSettings,
  { context, sessionId, signal }: ProposeContext,
): Promise<BoundaryAnswer> {
  const none = { index: undefined, confidence: 0, reason: "Nobody was asked for a topic boundary." };
  const startedAt = context.clock.now();
  const { detector } = topics;
  const asked = detector === "model" ? await context.topicDetector?.findBoundary(messages, signal) : undefined;
  const found = asked ?? (detector === "offline" ? findNewestBoundary(messages, topics.minConfidence) : none) ?? none;
  const { index, confidence, reason } = found;
  const { model, calls = 0, usage, costUsd = 0 } = asked ?? {};
  const by = { detector, model, calls, usage, costUsd };
  const durationMs = Math.max(0, context.clock.now() - startedAt);
  context.emitter.emit("topic-boundary", {
    sessionId,
    index,
    confidence,
    reason: redactSecrets(reason).text,
    ...by,
    durationMs,
  });
  return found;
}

export interface WriteOptions {
  readonly options: CompactOptions;
  readonly hold: HeldLease;
  readonly attempts: readonly SummaryAttempt[];
  readonly durationMs: number;
  readonly gate?: GateVerdict | undefined;
}

const PINS_RELEASED =
  "Pins were released because nothing else could make the prompt fit; a note of their first words stands in their place.";

const SEALED_LEFT_OUT =
  "A compaction by the provider, which only the provider can read, is no longer sent: it takes more than a quarter of the budget.";

function hasSealed({ kept, messages }: View): boolean {
  return [...kept, ...messages].some(({ message }) => hasSealedCompaction(message));
}

/** Writes a proposal; `undefined` when the conversation has changed meanwhile. */
export async function writeProposal(
  state: SessionState,
  conversation: Conversation,
  proposal: Proposal,
  { options, hold, attempts, durationMs, gate }: WriteOptions,
): Promise<CompactionReport | undefined> {
  const { reason, phase, limits, settings } = options;
  const { steps, tokensBefore, tokensAfter, weight, changes } = proposal;
  const ending = { sessionId: state.id, phase, attempts, durationMs };
  const commit = async () => {
    const { retention } = settings;
    const erasing = await findErasable(state, conversation, { changes, retention });
    return state.commit(conversation, { ...erasing, fence: hold.fence });
  };
  const outcome = await commit().catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    state.context.emitter.emit("compaction-end", { ...ending, outcome: "failed", reason: text });
    throw error;
  });
  if (outcome.type === "stale") {
    const text = "Somebody else changed the session first.";
    state.context.emitter.emit("compaction-end", { ...ending, outcome: "stale", reason: text });
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
  const event = { ...ending, ...sizes, reason, entryIds, record, compressedMessages, messages, gate };
  state.context.emitter.emit("compaction", event);
  return { reason, steps, tokensBefore, tokensAfter, isRecorded: true, attempts, gate, entryIds };
}

/** The same for one request: a smaller view, and nothing written. */
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

function floorError({ floor }: DoesNotFit): PalimpsestError {
  const parts = floor.parts.map((part) => `${part.name} ${part.tokens}`).join(", ");
  const text =
    `The prompt cannot be made smaller than ${floor.floorTokens} tokens, and ${floor.limitTokens} are allowed. ` +
    `It is made of: ${parts}. Make one of these smaller, or use a model with a larger window.`;
  return new PalimpsestError("does-not-fit", text, { details: { floor } });
}
