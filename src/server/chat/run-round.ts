/**
 * Runs one round of a turn: makes a prompt and calls the provider until it answers. A context overflow gets a smaller
 * prompt, a temporary failure is retried after a pause, and everything else ends the round with an error text.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { FinishReason, LanguageModelUsage } from "ai";
import { PalimpsestError } from "../../core/errors.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import { callModel, type ModelCallOutcome } from "./call-model.ts";
import type { OpenParts } from "./open-parts.ts";
import type { Turn } from "./turn.ts";

export type RoundOutcome =
  | {
      readonly type: "ended";
      readonly prompt: Prompt;
      readonly finishReason: FinishReason;
      readonly usage: LanguageModelUsage | undefined;
    }
  | { readonly type: "failed"; readonly prompt: Prompt; readonly reason: string; readonly open: OpenParts }
  /** `sent` is undefined if no prompt was sent. */
  | { readonly type: "stopped"; readonly sent?: { readonly prompt: Prompt; readonly open: OpenParts } | undefined };

/** The reaction to a failure: another prompt, the same one after a pause, or none. */
type Retry =
  | { readonly type: "again"; readonly prompt: Prompt; readonly afterMs: number; readonly reason: string }
  | { readonly type: "over"; readonly reason: string };

export async function runRound(turn: Turn, made?: Prompt | undefined): Promise<RoundOutcome> {
  const { signal, stream, limits } = turn;
  const first = made ?? (await unlessStopped(makePrompt(turn), signal));
  if (first === undefined) return { type: "stopped" };
  if (first.forStreamText().messages.length === 0) throw nothingToAnswer();
  let prompt = first;
  let isBegun = false;
  let silences = 0;
  for (let attempt = 1; ; attempt += 1) {
    turn.onPrompt(prompt);
    const call = await callModel({ ...describeCall(turn), prompt, isBegun });
    const { open } = call;
    isBegun = call.isBegun;
    if (call.type === "stopped") return { type: "stopped", sent: { prompt, open } };
    if (call.type === "ended") {
      stream.write({ type: "finish-step" });
      return { type: "ended", prompt, finishReason: call.finishReason, usage: call.usage };
    }
    silences += call.why === "silence" ? 1 : 0;
    const isLast = attempt >= limits.attempts || silences >= limits.silentAttempts;
    const next = await findNext(turn, { call, prompt, attempt, isLast });
    if (next.type === "over") return { type: "failed", prompt, open, reason: next.reason };
    if (open.hasOutput) stream.write({ type: "reset-step" });
    const attempts = call.why === "silence" ? attempt + limits.silentAttempts - silences : limits.attempts;
    const data = { attempt: attempt + 1, attempts: Math.min(attempts, limits.attempts), reason: next.reason };
    stream.write({ type: "data-retry", transient: true, data });
    prompt = next.prompt;
    await pause(next.afterMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return { type: "stopped", sent: { prompt, open: call.open } };
  }
}

/** Providers refuse an empty list of messages. */
function nothingToAnswer(): PalimpsestError {
  const text = "There is nothing to answer: all messages were deleted or cleared. Send a message.";
  return new PalimpsestError("message-invalid", text);
}

function describeCall({ model, isOffline, findTools, stream, signal, limits }: Turn) {
  const { silenceMs, streamCharacters: maxCharacters } = limits;
  return { model, isOffline, tools: findTools(), stream, signal, silenceMs, maxCharacters };
}

async function makePrompt({ session, findRequest, signal }: Turn): Promise<Prompt> {
  return session.prompt({ ...(await findRequest()), signal });
}

interface FailedAttempt {
  readonly call: Extract<ModelCallOutcome, { readonly type: "failed" }>;
  readonly prompt: Prompt;
  readonly attempt: number;
  readonly isLast: boolean;
}

async function findNext(turn: Turn, { call, prompt, attempt, isLast }: FailedAttempt): Promise<Retry> {
  const { limits, readFailure, session } = turn;
  const failure = readFailure(call.error, Date.now());
  const reason = "reason" in failure ? failure.reason : "The provider gave no answer.";
  if (call.why === "too-long" || isLast) return { type: "over", reason };
  if (call.why === "silence") return { type: "again", prompt, afterMs: 0, reason };
  if (failure.type === "overflow") return findSmaller(session, { error: call.error, prompt, reason });
  if (failure.type === "failed" && failure.refusesTools === true && turn.withdrawTools()) {
    return { type: "again", prompt: await makePrompt(turn), afterMs: 0, reason };
  }
  if (failure.type !== "failed" || !failure.retryable) return { type: "over", reason };
  const { retryAfterMs = 0 } = failure;
  if (retryAfterMs > limits.maxRetryAfterMs) {
    return { type: "over", reason: `${reason} The provider asks to wait ${Math.ceil(retryAfterMs / 1_000)} s.` };
  }
  const pauseMs = retryAfterMs === 0 ? limits.pauseMs * 2 ** (attempt - 1) : retryAfterMs;
  return { type: "again", prompt, afterMs: Math.min(limits.longestPauseMs, pauseMs), reason };
}

interface RefusedPrompt {
  readonly error: unknown;
  readonly prompt: Prompt;
  readonly reason: string;
}

async function findSmaller(session: Session, { error, prompt, reason }: RefusedPrompt): Promise<Retry> {
  try {
    const smaller = await session.refused(error, { promptId: prompt.id });
    return { type: "again", prompt: smaller, afterMs: 0, reason };
  } catch (thrown) {
    if (!(thrown instanceof PalimpsestError) || thrown.code !== "does-not-fit") throw thrown;
    return { type: "over", reason: thrown.message };
  }
}

async function unlessStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return undefined;
  }
  const stopped = Promise.withResolvers<undefined>();
  const onAbort = () => stopped.resolve(undefined);
  signal.addEventListener("abort", onAbort);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
