/** Emits an event for each search for earlier messages, with its source, its result and its duration. */
import type { SessionId } from "../../core/log/entry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Emitter, RecallEvent } from "../context/events.ts";

export interface RecallObserver {
  readonly sessionId: SessionId | undefined;
  readonly source: RecallEvent["source"];
  readonly context: { readonly emitter: Emitter; readonly clock: Clock };
}

interface RecallFigures {
  readonly passages: readonly unknown[];
  readonly tokens: number;
}

/** Resolves and rejects like the work. */
export async function measureRecall<Result>(
  { sessionId, source, context: { emitter, clock } }: RecallObserver,
  work: () => Promise<Result>,
  readFigures: (result: Result) => RecallFigures,
): Promise<Result> {
  const startedAt = clock.now();
  const emit = (figures: Pick<RecallEvent, "outcome" | "passages" | "tokens">) =>
    emitter.emit("recall", { sessionId, source, ...figures, durationMs: clock.now() - startedAt });
  try {
    const result = await work();
    const { passages, tokens } = readFigures(result);
    emit({ outcome: passages.length === 0 ? "nothing" : "found", passages: passages.length, tokens });
    return result;
  } catch (error) {
    emit({ outcome: "failed", passages: 0, tokens: 0 });
    throw error;
  }
}
