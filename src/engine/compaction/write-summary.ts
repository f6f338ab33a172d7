/** Requests a summary from the summarizer, or writes it by code if the policy allows it. Failures are returned. */
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { SummaryAnswer, SummaryTask } from "../../core/plan/staircase.ts";
import { acceptSummary, SUMMARY_RULES, type SummaryRule } from "../../core/summary/answers/accept-summary.ts";
import { addMissingLinesInSteps } from "../../core/summary/offline/add-missing-lines.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { redactMessagesInSteps } from "../../core/summary/secrets/redact-messages.ts";
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import {
  type CheckedSummary,
  checkSummaryInSteps,
  completeRecordInSteps,
  type WrittenSummary,
} from "../../core/summary/verify/complete-record.ts";
import type { Counter } from "../../core/tokens/counter.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { OwnPrompt, Summarizer, SummaryOrigin, SummaryRequest } from "../../ports/summarizer.ts";
import type { EngineContext } from "../context/engine-context.ts";
import { createAttempt, type SummaryAttempt, sumCosts } from "../context/events.ts";
import { type CallerWait, Progress } from "../context/wait-timer.ts";
import type { LateCall, LateSummary } from "../state/late-summary.ts";
import { checkLength, judgeAnswerInSteps } from "./judge-summary.ts";
import { writeByCode, writeLinesByCode } from "./write-by-code.ts";

export interface SummaryCall {
  readonly context: EngineContext;
  /** Undefined for a call outside of sessions, which emits nothing. */
  readonly sessionId?: string | undefined;
  readonly signal: AbortSignal;
  readonly waiting?: CallerWait | undefined;
  /** Keeps a call that outlasts the wait. Without it the call is canceled. */
  readonly late?: LateSummary | undefined;
  /** Receives the progress of the summarizer if no caller waits. */
  readonly progress?: Progress | undefined;
  /** Receives every attempt. */
  readonly attempts?: SummaryAttempt[] | undefined;
}

export interface SummaryOptions extends SummaryCall {
  readonly settings: PlanSettings;
  readonly counter: Counter;
  /** Without a summarizer, code writes the summary. */
  readonly summarizer: Summarizer | undefined;
  readonly instructions?: string | undefined;
  readonly ownPrompt?: OwnPrompt | undefined;
  /** Whether no caller waits for the summary. */
  readonly isBackground?: boolean | undefined;
  /** Fullness of the window and number of messages left; stored in the record. */
  readonly fullness?: Pick<SummaryRecord, "tokenRatio" | "messageCount"> | undefined;
}

interface SummaryWriter extends SummaryOptions {
  readonly onAttempt: (attempt: SummaryAttempt) => void;
}

interface Draft {
  readonly written: WrittenSummary;
  /** Present if the text has been checked already. */
  readonly checked?: CheckedSummary | undefined;
  readonly origin: SummaryOrigin;
  readonly rejected?: SummaryRecord["rejected"];
}

/** After an answer that is too long, the summarizer is called once more. */
const MAX_REQUESTS = 2;

export async function writeSummary(task: SummaryTask, options: SummaryOptions): Promise<SummaryAnswer> {
  const attempts: SummaryAttempt[] = [];
  const onAttempt = (attempt: SummaryAttempt) => {
    attempts.push(attempt);
    reportAttempt(attempt, options);
  };
  const writer = { ...options, onAttempt };
  const { record: written, lateCall } = await writeInTime(task, writer);
  if (written !== undefined) return { type: "written", record: written };
  if (writer.signal.aborted) return { type: "failed", reason: "The request was aborted." };
  const { settings, summarizer } = writer;
  if (summarizer !== undefined && settings.summary.onFailure === "keep") {
    return { type: "failed", reason: attempts.at(-1)?.reason ?? "The summary was not small enough." };
  }
  const offline = { ...(await writeOffline(task, writer)), rejected: findRejected(attempts) };
  const record = await createRecord(task, offline, { ...writer, attempts });
  if (record.text === "" || !isSmallEnough(record, task)) {
    lateCall?.stop();
    return { type: "failed", reason: "No summary is small enough to be worthwhile." };
  }
  if (lateCall !== undefined) writer.late?.keep(lateCall, record.id);
  return { type: "written", record };
}

function findRejected(attempts: readonly SummaryAttempt[]): SummaryRecord["rejected"] {
  const { model, rule } = attempts.at(-1) ?? {};
  return rule === undefined ? undefined : { model, rule };
}

function reportAttempt(attempt: SummaryAttempt, { context, sessionId, attempts }: SummaryCall): void {
  attempts?.push(attempt);
  if (sessionId !== undefined) context.emitter.emit("summary", { sessionId, ...attempt });
}

/** Calls the summarizer. A call that outlasts its caller continues as `lateCall`. */
async function writeInTime(
  task: SummaryTask,
  writer: SummaryWriter,
): Promise<{ readonly record?: SummaryRecord | undefined; readonly lateCall?: LateCall }> {
  const { context, summarizer, settings } = writer;
  const timer = writer.waiting?.timer;
  if (summarizer === undefined) return {};
  if (timer === undefined) return { record: await writeByModel(task, writer) };
  if (timer.isOver) return {};
  const startedAt = context.clock.now();
  const call = startCall(writer.signal);
  const progress = new Progress();
  const attempts: SummaryAttempt[] = [];
  let onAttempt = writer.onAttempt;
  const called = {
    ...writer,
    signal: call.signal,
    progress,
    onAttempt: (attempt: SummaryAttempt) => onAttempt(attempt),
  };
  const work = writeByModel(task, called);
  const ended = await timer.wait(work, progress);
  call.detach();
  if (ended !== undefined) return { record: ended.result };
  const { reason } = timer;
  // With `keep`, code writes no summary that a late answer could replace.
  if (writer.late === undefined || settings.summary.onFailure === "keep") {
    onAttempt = (attempt) => writer.onAttempt({ ...attempt, outcome: "failed", rule: "late", reason });
    call.stopLate(reason);
    await work;
    return {};
  }
  onAttempt = (attempt) => attempts.push(attempt);
  const durationMs = Math.max(0, context.clock.now() - startedAt);
  const origin = { ...OFFLINE_ORIGIN, strategy: summarizer.name, model: progress.model };
  writer.onAttempt(createAttempt(origin, { outcome: "failed", rule: "late", reason, durationMs }));
  return { lateCall: { work: work.catch(() => undefined), attempts, stop: call.stop } };
}

/** A call whose signal follows that of its caller until it is detached. */
export interface StartedCall {
  readonly signal: AbortSignal;
  stop(): void;
  /** Aborts with a `TimeoutError`, so that the model's breaker counts a failure. */
  stopLate(reason: string): void;
  detach(): void;
}

export function startCall(outer: AbortSignal): StartedCall {
  const inner = new AbortController();
  const stop = () => inner.abort();
  if (outer.aborted) stop();
  outer.addEventListener("abort", stop, { once: true });
  return {
    signal: inner.signal,
    stop,
    stopLate: (reason) => inner.abort(new DOMException(reason, "TimeoutError")),
    detach: () => outer.removeEventListener("abort", stop),
  };
}

async function writeByModel(task: SummaryTask, writer: SummaryWriter): Promise<SummaryRecord | undefined> {
  const attempts: SummaryAttempt[] = [];
  const onAttempt = (attempt: SummaryAttempt) => {
    attempts.push(attempt);
    writer.onAttempt(attempt);
  };
  const asked = await askSummarizer(task, { ...writer, onAttempt });
  if (asked === undefined) return undefined;
  const record = await createRecord(task, asked, { ...writer, attempts: [...attempts, asked.attempt] });
  const rule = findRecordFault(record, task) ?? checkLength(record, asked.written);
  if (rule === undefined) {
    onAttempt(asked.attempt);
    return record;
  }
  onAttempt({ ...asked.attempt, outcome: "rejected", rule, reason: SUMMARY_RULES[rule] });
  return undefined;
}

function findRecordFault(record: SummaryRecord, task: SummaryTask): SummaryRule | undefined {
  if (record.text === "") return "unsupported";
  return isSmallEnough(record, task) ? undefined : "not-smaller";
}

/** Constraints alone may exceed the cap; the summary must still be smaller than its source. */
function isSmallEnough({ tokensAfter }: SummaryRecord, { replacedTokens }: SummaryTask): boolean {
  return replacedTokens === undefined || tokensAfter < replacedTokens;
}

interface ModelDraft extends Draft {
  readonly attempt: SummaryAttempt;
}

async function askSummarizer(task: SummaryTask, writer: SummaryWriter): Promise<ModelDraft | undefined> {
  const { summarizer, context, sessionId } = writer;
  if (summarizer === undefined) return undefined;
  // Secrets are redacted before the call.
  const clean = { ...task, stretch: await runInSteps(redactMessagesInSteps(task.stretch)) };
  let again: string | undefined;
  for (let earlierRequests = 0; earlierRequests < MAX_REQUESTS; earlierRequests += 1) {
    const startedAt = context.clock.now();
    const outcome = await summarizer.summarize(createRequest(clean, writer, again), writer.signal);
    const durationMs = Math.max(0, context.clock.now() - startedAt);
    if (outcome.type === "failed") {
      const { kind, reason, rawStart } = outcome;
      writer.onAttempt(createAttempt(outcome.origin, { outcome: "failed", rule: kind, reason, rawStart, durationMs }));
      return undefined;
    }
    const verdict = acceptSummary(outcome, {
      counter: writer.counter,
      capTokens: task.capTokens,
      replacedTokens: task.replacedTokens,
      onOversize: writer.settings.summary.onOversize,
      earlierRequests,
    });
    if (verdict.type === "accepted") {
      const { trimmedFromTokens, tokens, text } = verdict;
      const written = await runInSteps(judgeAnswerInSteps({ ...outcome, text }, clean, writer));
      if (typeof written === "string") {
        const refusal = { outcome: "rejected", rule: written, reason: SUMMARY_RULES[written] } as const;
        writer.onAttempt(createAttempt(outcome.origin, { ...refusal, durationMs }));
        return undefined;
      }
      if (trimmedFromTokens !== undefined && sessionId !== undefined) {
        const trimmed = { tokensBefore: trimmedFromTokens, tokensAfter: tokens };
        context.emitter.emit("summary.trimmed", { sessionId, ...trimmed });
      }
      const attempt = createAttempt(outcome.origin, { outcome: "accepted", reason: "", durationMs });
      return { written, origin: outcome.origin, attempt };
    }
    const { type } = verdict;
    const reason = type === "reask" ? verdict.request : verdict.reason;
    writer.onAttempt(createAttempt(outcome.origin, { outcome: type, rule: verdict.rule, reason, durationMs }));
    if (type !== "reask") return undefined;
    again = verdict.request;
  }
  return undefined;
}

function createRequest(task: SummaryTask, writer: SummaryWriter, again: string | undefined): SummaryRequest {
  const { stretch, previous, capTokens } = task;
  const { instructions, counter, context, progress } = writer;
  const ownPrompt = writer.ownPrompt && cutAfter(writer.ownPrompt, stretch);
  const listener = progress === undefined ? {} : { onProgress: progress.note };
  const nonce = context.newNonce();
  return { stretch, previous, capTokens, instructions, again, nonce, counter, ownPrompt, ...listener };
}

/** Cuts the cached prompt after the stretch, because later messages are not part of the summary. */
function cutAfter(ownPrompt: OwnPrompt, stretch: SummaryTask["stretch"]): OwnPrompt | undefined {
  const lastId = stretch.at(-1)?.id;
  const last = ownPrompt.messages.findLastIndex(({ id }) => id === lastId);
  return last < 0 ? undefined : { ...ownPrompt, messages: ownPrompt.messages.slice(0, last + 1) };
}

const NOTHING_LEFT_OUT = { cuts: [], noiseIds: [], trimmedIds: [] };
const OFFLINE_ORIGIN: SummaryOrigin = {
  strategy: "offline",
  calls: 0,
  request: "none",
  chunks: 1,
  ...NOTHING_LEFT_OUT,
};

async function writeOffline(task: SummaryTask, writer: SummaryWriter): Promise<Draft> {
  return { ...(await writeByCode(task, writer)), origin: OFFLINE_ORIGIN };
}

/** Above this share of its source, a summary would save too little to be worth more lines. */
const MAX_COMPLETED_SHARE = 0.7;

function shouldAddMissing({ written }: Draft, { settings }: SummaryWriter): boolean {
  return settings.summary.addMissing && written.facets === undefined;
}

async function addMissing(checked: CheckedSummary, task: SummaryTask, writer: SummaryWriter): Promise<CheckedSummary> {
  if (checked.text === "") return checked;
  const { capTokens, replacedTokens = Number.POSITIVE_INFINITY } = task;
  const written = await writeLinesByCode(task, writer);
  const mostTokens = Math.floor(replacedTokens * MAX_COMPLETED_SHARE);
  const room = { capTokens: Math.min(capTokens, mostTokens), counter: writer.counter };
  return runInSteps(addMissingLinesInSteps(checked, written.lines ?? [], room));
}

async function createRecord(task: SummaryTask, draft: Draft, writer: SummaryWriter): Promise<SummaryRecord> {
  const { stretch, previous, capTokens, coverage, omitted, keepsDepth, reason, tokensBefore } = task;
  const { counter, settings, instructions } = writer;
  const { protectedShare } = settings.summary;
  // The presets send the text alone, without key points.
  const includesKeyPoints = settings.gate && draft.written.facets === undefined;
  const source = { stretch, previous, capTokens, protectedShare, counter, includesKeyPoints };
  const verified = draft.checked ?? (await runInSteps(checkSummaryInSteps(draft.written, source)));
  const checked = shouldAddMissing(draft, writer) ? await addMissing(verified, task, writer) : verified;
  const { strategy, model, request, answeredWith, cuts } = draft.origin;
  const wish = instructions === undefined ? undefined : redactSecrets(instructions).text;
  const origin = { strategy, model, request, answeredWith, rejected: draft.rejected };
  const facts = { ...origin, reason, instructions: wish, tokensBefore, coverage, omitted, keepsDepth };
  const costUsd = sumCosts(writer.attempts ?? []);
  const cutResults = cuts.length;
  const { ids, clock } = writer.context;
  const id: string = ids.entry("summary");
  const stamp = { id, at: clock.now(), ...writer.fullness };
  return runInSteps(completeRecordInSteps(checked, source, { ...stamp, ...facts, costUsd, cutResults }));
}
