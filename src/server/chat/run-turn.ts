/**
 * Runs a turn: rounds of calling the model and storing its output, until the model is done, the turn is stopped, or
 * retries are used up. It never throws; the last chunks of the stream describe how it ended. The caller ends the
 * stream.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { redactForDisplay } from "../../core/summary/secrets/redact-secrets.ts";
import { statusOf } from "../../protocol/error-status.ts";
import { type RoundOutcome, runRound } from "./run-round.ts";
import { storeRound } from "./store-round.ts";
import type { StopReason, Turn } from "./turn.ts";
import { TurnBudget } from "./turn-budget.ts";
import { addRound, type TurnMetadata } from "./turn-metadata.ts";

export interface TurnEnd {
  readonly type: "ended" | "failed" | "stopped";
  readonly metadata: TurnMetadata;
  /** An unexpected error, for the log. */
  readonly error?: unknown;
}

export async function runTurn(turn: Turn): Promise<TurnEnd> {
  const { stream, session, reply } = turn;
  const initial: TurnMetadata = { sessionId: session.id, chatId: turn.chatId, rounds: 0 };
  stream.write({ type: "start", messageId: reply.id, messageMetadata: { sessionId: session.id } });
  if (turn.forked !== undefined) {
    stream.write({ type: "data-session", transient: true, data: { id: session.id, forked: turn.forked } });
  }
  for (const chunk of turn.answers ?? []) stream.write(chunk);
  const stop = streamCompactions(turn);
  try {
    return turn.isAnswered === true ? endWithStoredReply(turn, initial) : await runRounds(turn, initial);
  } catch (error) {
    const errorText = describeTurnError(error);
    stream.write({ type: "error", errorText });
    await noteMissingReply(turn, errorText);
    return { type: "failed", metadata: initial, error: isRequestError(error) ? undefined : error };
  } finally {
    stop();
  }
}

/** Notes in the log that a message without a prompt got no reply. Best effort: the stream has the error too. */
async function noteMissingReply({ session }: Turn, reason: string): Promise<void> {
  await session.ended(undefined, reason).catch(() => undefined);
}

function endWithStoredReply({ stream, reply }: Turn, metadata: TurnMetadata): TurnEnd {
  stream.write({ type: "finish", messageMetadata: reply.metadata ?? metadata });
  return { type: "ended", metadata };
}

async function runRounds(turn: Turn, initial: TurnMetadata): Promise<TurnEnd> {
  const { stream, reply } = turn;
  const budget = await TurnBudget.open(turn);
  let metadata = initial;
  for (;;) {
    const startedAt = stream.length;
    const round = await runRound(turn, metadata.rounds === 0 ? turn.firstPrompt : undefined);
    if (round.type !== "ended") return endEarly(turn, { round, metadata, startedAt });
    metadata = addRound(metadata, round);
    await reply.add(stream.since(startedAt));
    const isStored = await storeRound(turn, { promptId: round.prompt.id, usage: round.usage, metadata });
    const { finishReason } = round;
    if (!isStored) {
      return endWithError(turn, {
        round,
        metadata,
        errorText: `The model returned no output (${finishReason}). Try again.`,
      });
    }
    if (finishReason !== "tool-calls" || reply.isWaiting) {
      stream.write({ type: "finish", finishReason, messageMetadata: metadata });
      return { type: "ended", metadata };
    }
    if (turn.signal.aborted) return endEarly(turn, { round: { type: "stopped" }, metadata, startedAt: stream.length });
    const errorText = await budget.findReasonToEnd(metadata);
    if (errorText !== undefined) return endWithError(turn, { round, metadata, errorText });
  }
}

interface EndedRound {
  readonly round: Extract<RoundOutcome, { readonly type: "ended" }>;
  readonly metadata: TurnMetadata;
  readonly errorText: string;
}

async function endWithError({ stream, session }: Turn, { round, metadata, errorText }: EndedRound): Promise<TurnEnd> {
  await session.ended(round.prompt.id, errorText);
  stream.write({ type: "message-metadata", messageMetadata: { ...metadata, stopped: "failed" } });
  stream.write({ type: "error", errorText });
  return { type: "failed", metadata };
}

interface BrokenRound {
  readonly round: Exclude<RoundOutcome, { readonly type: "ended" }>;
  readonly metadata: TurnMetadata;
  readonly startedAt: number;
}

/** Closes, marks and stores the output of the last round, or resets it if the policy requires it; writes the reason. */
async function endEarly(turn: Turn, { round, metadata: before, startedAt }: BrokenRound): Promise<TurnEnd> {
  const { stream, signal } = turn;
  const stopped = round.type === "failed" ? "failed" : stopReasonOf(signal);
  const sent = round.type === "failed" ? round : round.sent;
  const metadata = { ...(sent === undefined ? before : addRound(before, sent)), stopped } as const;
  if (sent !== undefined) await storePartialRound(turn, { sent, metadata, startedAt });
  stream.write({ type: "message-metadata", messageMetadata: metadata });
  if (round.type === "failed") {
    stream.write({ type: "error", errorText: round.reason });
    return { type: "failed", metadata };
  }
  stream.write({ type: "abort", reason: stopped });
  return { type: "stopped", metadata };
}

interface PartialRound {
  readonly sent: NonNullable<Extract<RoundOutcome, { readonly type: "stopped" }>["sent"]>;
  readonly metadata: TurnMetadata & { readonly stopped: StopReason | "failed" };
  readonly startedAt: number;
}

async function storePartialRound(turn: Turn, { sent, metadata, startedAt }: PartialRound): Promise<void> {
  const { stream, reply, session, engine } = turn;
  const { prompt, open } = sent;
  const { stopped } = metadata;
  const isKept = stopped !== "cancelled" || engine.settings(turn.modelName).onCancel !== "orphan";
  const reason = stopped === "failed" ? "The provider failed." : `The turn was stopped: ${stopped}.`;
  if (!open.hasOutput || !isKept) {
    if (open.hasOutput) stream.write({ type: "reset-step" });
    await session.ended(prompt.id, reason);
    return;
  }
  for (const chunk of open.closing("Stopped before the end.")) stream.write(chunk);
  writeMark(turn, stopped);
  await reply.add(stream.since(startedAt));
  const isStored = await storeRound(turn, { promptId: prompt.id, metadata });
  if (stopped === "failed" || !isStored) await session.ended(prompt.id, reason);
}

/** Writes a text for users and models, with a field for programs. */
function writeMark({ stream }: Turn, stopped: StopReason | "failed"): void {
  const id = "stopped";
  const providerMetadata = { palimpsest: { stopped } };
  const delta = stopped === "cancelled" ? STOPPED_MARK : INTERRUPTED_MARK;
  stream.write({ type: "text-start", id, providerMetadata });
  stream.write({ type: "text-delta", id, delta });
  stream.write({ type: "text-end", id, providerMetadata });
  stream.write({ type: "finish-step" });
}

export const STOPPED_MARK = "[stopped]";
export const INTERRUPTED_MARK = "[interrupted]";

function stopReasonOf(signal: AbortSignal): StopReason {
  return signal.reason === "server-end" ? "server-end" : "cancelled";
}

/** Returns true for errors that the request caused, such as an invalid message. */
function isRequestError(error: unknown): boolean {
  return error instanceof PalimpsestError && statusOf(error.code) < 500;
}

function describeTurnError(error: unknown): string {
  if (error instanceof PalimpsestError) return redactForDisplay(error.message);
  return "Something went wrong. The server's log has the error.";
}

/** Writes compactions during the turn into its stream. Returns a function that stops it. */
function streamCompactions({ engine, session, stream }: Pick<Turn, "engine" | "session" | "stream">): () => void {
  const write = (event: { readonly sessionId: string }, data: object) => {
    if (event.sessionId === session.id) stream.write({ type: "data-compaction", transient: true, data });
  };
  const stops = [
    engine.on("compaction-start", (event) => {
      const { phase, reason, tokensBefore } = event;
      write(event, { stage: "start", phase, reason, tokensBefore });
    }),
    engine.on("compaction", (event) => {
      const { phase, reason, tokensBefore, tokensAfter } = event;
      write(event, { stage: "done", phase, reason, tokensBefore, tokensAfter });
    }),
    engine.on("compaction-end", (event) => {
      const { phase, reason, outcome } = event;
      write(event, { stage: outcome, phase, reason });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
