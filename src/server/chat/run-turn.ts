/**
 * A turn: rounds of asking and storing until the model has said all it has to say, somebody stops it, or nothing helps.
 * It only puts the steps in their order. It never throws: however it ends, the stream's last words say so. Its caller ends the stream.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { sayWithoutSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import { statusOf } from "../../protocol/error-status.ts";
import { type Round, runRound } from "./run-round.ts";
import { storeRound } from "./store-round.ts";
import { tellCompactions } from "./tell-compactions.ts";
import type { StopReason, Turn } from "./turn.ts";
import { addRound, type TurnMetadata } from "./turn-metadata.ts";

export interface TurnEnd {
  readonly type: "ended" | "failed" | "stopped";
  readonly metadata: TurnMetadata;
  /** What nobody expected, for the log. */
  readonly error?: unknown;
}

export async function runTurn(turn: Turn): Promise<TurnEnd> {
  const { stream, session, reply } = turn;
  const begun: TurnMetadata = { sessionId: session.id, chatId: turn.chatId, rounds: 0 };
  stream.write({ type: "start", messageId: reply.id, messageMetadata: { sessionId: session.id } });
  if (turn.forked !== undefined) {
    stream.write({ type: "data-session", transient: true, data: { id: session.id, forked: turn.forked } });
  }
  for (const chunk of turn.answers ?? []) stream.write(chunk);
  const stop = tellCompactions(turn);
  try {
    return turn.isAnswered === true ? endAsStored(turn, begun) : await runRounds(turn, begun);
  } catch (error) {
    const errorText = describe(error);
    stream.write({ type: "error", errorText });
    await endUnasked(turn, errorText);
    return { type: "failed", metadata: begun, error: isCallers(error) ? undefined : error };
  } finally {
    stop();
  }
}

/** Where no prompt was handed out, a note says that what was said has no reply. Best effort: the stream says it too. */
async function endUnasked({ session }: Turn, reason: string): Promise<void> {
  await session.ended(undefined, reason).catch(() => undefined);
}

/** The log has the reply; nobody is asked. */
function endAsStored({ stream, reply }: Turn, metadata: TurnMetadata): TurnEnd {
  stream.write({ type: "finish", messageMetadata: reply.metadata ?? metadata });
  return { type: "ended", metadata };
}

async function runRounds(turn: Turn, begun: TurnMetadata): Promise<TurnEnd> {
  const { stream, reply, limits } = turn;
  let metadata = begun;
  for (let count = 1; count <= limits.rounds; count += 1) {
    const startedAt = stream.length;
    const round = await runRound(turn);
    if (round.type !== "ended") return breakOff(turn, { round, metadata, startedAt });
    metadata = addRound(metadata, round);
    await reply.add(stream.since(startedAt));
    const isStored = await storeRound(turn, { promptId: round.prompt.id, usage: round.usage, metadata });
    const { finishReason } = round;
    if (!isStored) {
      const errorText = `The model said nothing (${finishReason}); ask again.`;
      await turn.session.ended(round.prompt.id, errorText);
      return endInWords(stream, { metadata, errorText });
    }
    if (finishReason !== "tool-calls" || reply.isWaiting) {
      stream.write({ type: "finish", finishReason, messageMetadata: metadata });
      return { type: "ended", metadata };
    }
    if (turn.signal.aborted) return breakOff(turn, { round: { type: "stopped" }, metadata, startedAt: stream.length });
  }
  const errorText = `The model went on calling tools for ${limits.rounds} rounds; ask again for it to go on.`;
  return endInWords(stream, { metadata, errorText });
}

interface Ending {
  readonly metadata: TurnMetadata;
  readonly errorText: string;
}

function endInWords(stream: Turn["stream"], { metadata, errorText }: Ending): TurnEnd {
  stream.write({ type: "message-metadata", messageMetadata: { ...metadata, stopped: "failed" } });
  stream.write({ type: "error", errorText });
  return { type: "failed", metadata };
}

interface Breaking {
  readonly round: Exclude<Round, { readonly type: "ended" }>;
  readonly metadata: TurnMetadata;
  readonly startedAt: number;
}

/** What came of the last round is closed, marked and stored, or taken back, as the policy says; then it is said why. */
async function breakOff(turn: Turn, { round, metadata: before, startedAt }: Breaking): Promise<TurnEnd> {
  const { stream, signal } = turn;
  const stopped = round.type === "failed" ? "failed" : stopReasonOf(signal);
  const sent = round.type === "failed" ? round : round.sent;
  const metadata = { ...(sent === undefined ? before : addRound(before, sent)), stopped } as const;
  if (sent !== undefined) await keepWhatCame(turn, { sent, metadata, startedAt });
  stream.write({ type: "message-metadata", messageMetadata: metadata });
  if (round.type === "failed") {
    stream.write({ type: "error", errorText: round.reason });
    return { type: "failed", metadata };
  }
  stream.write({ type: "abort", reason: stopped });
  return { type: "stopped", metadata };
}

interface Keeping {
  readonly sent: NonNullable<Extract<Round, { readonly type: "stopped" }>["sent"]>;
  readonly metadata: TurnMetadata & { readonly stopped: StopReason | "failed" };
  readonly startedAt: number;
}

async function keepWhatCame(turn: Turn, { sent, metadata, startedAt }: Keeping): Promise<void> {
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
  for (const chunk of open.closing("Stopped before it ended.")) stream.write(chunk);
  writeMark(turn, stopped);
  await reply.add(stream.since(startedAt));
  const isStored = await storeRound(turn, { promptId: prompt.id, metadata });
  if (stopped === "failed" || !isStored) await session.ended(prompt.id, reason);
}

/** Words for people and models, with a field beside them for programs. */
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

/** What was said, or how little room there is for it, is no failure of ours. */
function isCallers(error: unknown): boolean {
  return error instanceof PalimpsestError && statusOf(error.code) < 500;
}

function describe(error: unknown): string {
  if (error instanceof PalimpsestError) return sayWithoutSecrets(error.message);
  return "Something went wrong here; the server's log has it.";
}
