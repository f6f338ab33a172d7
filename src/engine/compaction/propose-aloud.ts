/**
 * Has a compaction proposed and tells the host when that begins and how it ends, so that whoever shows a notice can take
 * it away again. What is written is told by whoever writes it.
 */
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import type { EngineEvents } from "../context/events.ts";
import { floorOfError } from "../context/floor-of-error.ts";
import type { SummaryAttempt } from "../context/summary-attempt.ts";
import type { CallerWait, Progress } from "../context/wait-timer.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import type { SessionSnapshot } from "../state/find-need.ts";
import type { SessionState } from "../state/session-state.ts";
import { type ProposeResult, propose } from "./compact.ts";

export interface ProposeOptions {
  readonly snapshot: SessionSnapshot;
  readonly options: CompactOptions;
  readonly signal: AbortSignal;
  readonly waiting?: CallerWait | undefined;
  readonly progress?: Progress | undefined;
}

/** Proposes and says so. What breaks on the way is told as an end, so that nobody waits for one. */
export async function proposeWithEvents(state: SessionState, proposing: ProposeOptions): Promise<ProposeResult> {
  const { snapshot, options, ...by } = proposing;
  const { context } = state;
  const { emitter, clock } = context;
  const startedAt = clock.now();
  const attempts: SummaryAttempt[] = [];
  const stop = emitter.on("summary", ({ sessionId, ...attempt }) => {
    if (sessionId === state.id) attempts.push(attempt);
  });
  emitStart(state, options, snapshot);
  const isPriced = mayAskModel(state, options);
  try {
    const { id: sessionId, late } = state;
    return await propose(snapshot.conversation.view, { ...options, isPriced }, { context, sessionId, late, ...by });
  } catch (error) {
    const durationMs = Math.max(0, clock.now() - startedAt);
    emitEnd(state, options, { worked: { attempts, durationMs }, ...endByError(error, options) });
    throw error;
  } finally {
    stop();
  }
}

/** Where files can still give way, a history that cannot be made smaller is no failure: the prompt goes out without them. */
function endByError(error: unknown, { mayShed }: CompactOptions): Omit<Ending, "worked"> {
  if (mayShed === true && floorOfError(error) !== undefined) {
    return { outcome: "none", reason: "The conversation cannot be made smaller; files beside it give way." };
  }
  return { outcome: "failed", reason: error instanceof Error ? error.message : String(error) };
}

/** Whether it may come to a question to a model or to whoever the host has given. */
export function mayAskModel({ context, late }: SessionState, { asks, settings }: CompactOptions): boolean {
  // While an answer is late another one is not asked for.
  if (late.isUnderWay) return false;
  return asks === "anybody" && (context.summarizerFor?.(settings) !== undefined || settings.topics.mode === "first");
}

export function emitStart(
  state: SessionState,
  options: CompactOptions,
  { conversation, promptTokens, limits }: SessionSnapshot,
): void {
  const { phase, need, triggers, reason, settings } = options;
  const promptId = conversation.head.requests.at(-1)?.promptId;
  const by = { sessionId: state.id, promptId, policy: settings.name, phase, need, triggers, reason };
  const ratio = promptTokens / Math.max(1, limits.limitTokens);
  state.context.emitter.emit("compaction-start", { ...by, tokensBefore: promptTokens, ratio });
}

interface Ending {
  readonly worked: Pick<ProposeResult, "attempts" | "durationMs">;
  readonly outcome: EngineEvents["compaction-end"]["outcome"];
  readonly reason: string;
}

export function emitEnd(state: SessionState, { phase }: CompactOptions, { worked, outcome, reason }: Ending): void {
  const { attempts, durationMs } = worked;
  const said = { outcome, reason: redactSecrets(reason).text };
  state.context.emitter.emit("compaction-end", { sessionId: state.id, phase, ...said, attempts, durationMs });
}
