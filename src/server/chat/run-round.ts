/**
 * One round of a turn: a prompt, and a provider that is asked with it until it answers. One that says "too long" gets a
 * smaller prompt; one that fails in passing is asked again after a pause; everything else ends the round with words.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { FinishReason, LanguageModelUsage } from "ai";
import { PalimpsestError } from "../../core/errors.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import { type Asked, askModel } from "./ask-model.ts";
import type { OpenParts } from "./open-parts.ts";
import type { Turn } from "./turn.ts";

export type Round =
  | {
      readonly type: "ended";
      readonly prompt: Prompt;
      readonly finishReason: FinishReason;
      readonly usage: LanguageModelUsage | undefined;
    }
  | { readonly type: "failed"; readonly prompt: Prompt; readonly reason: string; readonly open: OpenParts }
  /** Without a prompt nothing was sent. */
  | { readonly type: "stopped"; readonly sent?: { readonly prompt: Prompt; readonly open: OpenParts } | undefined };

type Failed = Extract<Asked, { readonly type: "failed" }>;

/** The answer to a failure: another prompt, the same after a pause, or none. */
type Next =
  | { readonly type: "again"; readonly prompt: Prompt; readonly afterMs: number; readonly reason: string }
  | { readonly type: "over"; readonly reason: string };

export async function runRound(turn: Turn): Promise<Round> {
  const { signal, stream, limits } = turn;
  const first = await unlessStopped(makePrompt(turn), signal);
  if (first === undefined) return { type: "stopped" };
  if (first.forStreamText().messages.length === 0) throw nothingToAnswer();
  let prompt = first;
  let isBegun = false;
  let silences = 0;
  for (let attempt = 1; ; attempt += 1) {
    turn.onPrompt(prompt);
    const asked = await askModel({ ...askingOf(turn), prompt, isBegun });
    const { open } = asked;
    isBegun = asked.isBegun;
    if (asked.type === "stopped") return { type: "stopped", sent: { prompt, open } };
    if (asked.type === "ended") {
      stream.write({ type: "finish-step" });
      return { type: "ended", prompt, finishReason: asked.finishReason, usage: asked.usage };
    }
    silences += asked.why === "silence" ? 1 : 0;
    const isLast = attempt >= limits.attempts || silences >= limits.silentAttempts;
    const next = await findNext(turn, { asked, prompt, attempt, isLast });
    if (next.type === "over") return { type: "failed", prompt, open, reason: next.reason };
    // What came of this try is taken back before the next one speaks.
    if (open.hasOutput) stream.write({ type: "reset-step" });
    const attempts = asked.why === "silence" ? attempt + limits.silentAttempts - silences : limits.attempts;
    const data = { attempt: attempt + 1, attempts: Math.min(attempts, limits.attempts), reason: next.reason };
    stream.write({ type: "data-retry", transient: true, data });
    prompt = next.prompt;
    await pause(next.afterMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return { type: "stopped", sent: { prompt, open: asked.open } };
  }
}

/** No provider takes an empty list, and none could say anything to it. */
function nothingToAnswer(): PalimpsestError {
  const text = "There is nothing to answer: what was said here was erased or cleared. Say something.";
  return new PalimpsestError("message-invalid", text);
}

function askingOf({ model, tools, stream, signal, limits }: Turn) {
  const { silenceMs, streamCharacters: mostCharacters } = limits;
  return { model, tools, stream, signal, silenceMs, mostCharacters };
}

async function makePrompt({ session, findRequest, signal }: Turn): Promise<Prompt> {
  return session.prompt({ ...(await findRequest()), signal });
}

interface Deciding {
  readonly asked: Failed;
  readonly prompt: Prompt;
  readonly attempt: number;
  readonly isLast: boolean;
}

async function findNext(turn: Turn, { asked, prompt, attempt, isLast }: Deciding): Promise<Next> {
  const { limits, readFailure, session } = turn;
  const failure = readFailure(asked.error, Date.now());
  const reason = "reason" in failure ? failure.reason : "The provider gave no answer.";
  if (asked.why === "too-long" || isLast) return { type: "over", reason };
  if (asked.why === "silence") return { type: "again", prompt, afterMs: 0, reason };
  if (failure.type === "overflow") return findSmaller(session, { error: asked.error, prompt, reason });
  if (failure.type !== "failed" || !failure.retryable) return { type: "over", reason };
  const { retryAfterMs = limits.pauseMs * 2 ** (attempt - 1) } = failure;
  return { type: "again", prompt, afterMs: Math.min(limits.longestPauseMs, retryAfterMs), reason };
}

interface Refused {
  readonly error: unknown;
  readonly prompt: Prompt;
  readonly reason: string;
}

async function findSmaller(session: Session, { error, prompt, reason }: Refused): Promise<Next> {
  try {
    const smaller = await session.refused(error, { promptId: prompt.id });
    return { type: "again", prompt: smaller, afterMs: 0, reason };
  } catch (thrown) {
    // Nothing smaller can be made; that is said as it is.
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
