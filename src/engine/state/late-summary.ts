/**
 * The answer of a summarizer that a prompt no longer waited for: code has written the summary, and the call goes on. Its
 * answer may take the place of code's text when the provider's cache is cold and nothing else has been folded since;
 * otherwise it is counted and thrown away. There is at most one, and while it is pending no other request is sent.
 */
import type { SummaryId, SummaryRecord } from "../../core/summary/record/record.ts";
import type { SummaryAttempt } from "../context/summary-attempt.ts";

/** A call whose caller has stopped waiting. */
export interface LateCall {
  /** The record, or undefined where the answer was no use. Never rejects. */
  readonly work: Promise<SummaryRecord | undefined>;
  /** Attempts of the call; complete when the work has ended. */
  readonly attempts: readonly SummaryAttempt[];
  readonly stop: () => void;
}

export interface LateAnswer {
  readonly record: SummaryRecord;
  readonly attempts: readonly SummaryAttempt[];
}

interface KeptCall extends LateCall {
  /** The summary that code wrote in its place. */
  readonly replacesId: SummaryId;
  answer?: LateAnswer | undefined;
}

const TOO_LATE = "Discarded: the conversation changed or was closed before the answer could be used.";

export class LateSummary {
  /** Hears whether a call or an answer is kept, whenever that changes. */
  onKept: ((isKept: boolean) => void) | undefined;
  readonly #tell: (attempt: SummaryAttempt) => void;
  #kept: KeptCall | undefined;
  /** Resolves when the tries of discarded calls are told. */
  #discarded: Promise<unknown> = Promise.resolve();

  constructor(tell: (attempt: SummaryAttempt) => void) {
    this.#tell = tell;
  }

  /** Whether a summarizer is still at it. */
  get isUnderWay(): boolean {
    return this.#kept !== undefined && this.#kept.answer === undefined;
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
      for (const attempt of call.attempts) this.#tell(attempt);
    });
  }

  /** Resolves when no call is under way any more and every discarded one is told. */
  async wait(): Promise<void> {
    await Promise.all([this.#kept?.work, this.#discarded]);
  }

  /** Returns the answer for this summary. An answer for another summary is discarded. */
  find(liveId: SummaryId | undefined): LateAnswer | undefined {
    if (this.#kept !== undefined && this.#kept.replacesId !== liveId) this.discard();
    return this.#kept?.answer;
  }

  /** It is used: its tries are told as they were. */
  take({ attempts }: LateAnswer): void {
    this.#set(undefined);
    for (const attempt of attempts) this.#tell(attempt);
  }

  /** Ends the call where it still runs, and tells of every try, because it was made all the same. */
  discard(): void {
    const kept = this.#kept;
    if (kept === undefined) return;
    this.#set(undefined);
    kept.stop();
    const told = kept.work.then(() => {
      for (const attempt of kept.attempts) this.#tell(tooLate(attempt));
    });
    this.#discarded = Promise.all([this.#discarded, told]);
  }

  #set(kept: KeptCall | undefined): void {
    this.#kept = kept;
    this.onKept?.(kept !== undefined);
  }
}

function tooLate(attempt: SummaryAttempt): SummaryAttempt {
  if (attempt.outcome === "rejected" || attempt.outcome === "reask") return attempt;
  const outcome = attempt.outcome === "accepted" ? "rejected" : attempt.outcome;
  return { ...attempt, outcome, rule: "late", reason: TOO_LATE };
}
