/** A summarizer call that outlasted its prompt. Its answer may replace the offline summary once the cache is cold. */
import type { SummaryId, SummaryRecord } from "../../core/summary/record/record.ts";
import type { SummaryAttempt } from "../context/events.ts";

export interface LateCall {
  /** Resolves to the record, or to undefined for an unusable answer. Never rejects. */
  readonly work: Promise<SummaryRecord | undefined>;
  readonly attempts: readonly SummaryAttempt[];
  readonly stop: () => void;
}

export interface LateAnswer {
  readonly record: SummaryRecord;
  readonly attempts: readonly SummaryAttempt[];
}

interface KeptCall extends LateCall {
  readonly replacesId: SummaryId;
  answer?: LateAnswer | undefined;
}

const TOO_LATE = "Discarded: the conversation changed or was closed before the answer could be used.";

export class LateSummary {
  /** Called whenever a call or an answer is kept or dropped. */
  onKept: ((isKept: boolean) => void) | undefined;
  readonly #emit: (attempt: SummaryAttempt) => void;
  #kept: KeptCall | undefined;
  /** Resolves when the attempts of discarded calls have been emitted. */
  #discarded: Promise<unknown> = Promise.resolve();

  constructor(emit: (attempt: SummaryAttempt) => void) {
    this.#emit = emit;
  }

  get isRunning(): boolean {
    return this.#kept !== undefined && this.#kept.answer === undefined;
  }

  get isIdle(): boolean {
    return this.#kept === undefined;
  }

  keep(call: LateCall, replacesId: SummaryId): void {
    this.discard();
    const kept: KeptCall = { ...call, replacesId };
    this.#set(kept);
    void call.work.then((record) => {
      if (this.#kept !== kept) return;
      if (record !== undefined) {
        kept.answer = { record, attempts: call.attempts };
        return;
      }
      this.#set(undefined);
      for (const attempt of call.attempts) this.#emit(attempt);
    });
  }

  async wait(): Promise<void> {
    await Promise.all([this.#kept?.work, this.#discarded]);
  }

  /** Returns the answer for this summary. An answer for another summary is discarded. */
  find(liveId: SummaryId | undefined): LateAnswer | undefined {
    if (this.#kept !== undefined && this.#kept.replacesId !== liveId) this.discard();
    return this.#kept?.answer;
  }

  /** Marks the answer as used, and emits its attempts unchanged. */
  take({ attempts }: LateAnswer): void {
    this.#set(undefined);
    for (const attempt of attempts) this.#emit(attempt);
  }

  /** Cancels a running call, and emits its attempts, because they still cost money. */
  discard(): void {
    const kept = this.#kept;
    if (kept === undefined) return;
    this.#set(undefined);
    kept.stop();
    const emitted = kept.work.then(() => {
      for (const attempt of kept.attempts) this.#emit(markDiscarded(attempt));
    });
    this.#discarded = Promise.all([this.#discarded, emitted]);
  }

  #set(kept: KeptCall | undefined): void {
    this.#kept = kept;
    this.onKept?.(kept !== undefined);
  }
}

function markDiscarded(attempt: SummaryAttempt): SummaryAttempt {
  if (attempt.outcome === "rejected" || attempt.outcome === "reask") return attempt;
  const outcome = attempt.outcome === "accepted" ? "rejected" : attempt.outcome;
  return { ...attempt, outcome, rule: "late", reason: TOO_LATE };
}
