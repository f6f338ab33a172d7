/** A compaction prepared in the background: at most one, for the epoch that it was planned on. */
import type { CompactionNeed } from "../../core/plan/compaction-need.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import type { Proposal } from "../../core/plan/proposal.ts";
import type { TriggerType } from "../../core/plan/triggers/trigger.ts";
import type { CompactionPhase } from "../context/events.ts";
import type { SummaryAttempt } from "../context/summary-attempt.ts";
import { Progress } from "../context/wait-timer.ts";
import type { SessionSnapshot } from "./find-need.ts";

/** Reason in the plan while a compaction is prepared. */
export const IS_PREPARING = "A compaction is still being prepared.";
export const LAST_TRY_FAILED = "The last attempt changed nothing. The next one waits until the prompt has grown.";

/** Work on one compaction so far, as its end is reported. */
export interface CompactionWork {
  readonly options: CompactOptions;
  readonly attempts: readonly SummaryAttempt[];
  readonly durationMs: number;
  /** Fence of the lease; a newer lease makes the work stale. */
  readonly fence?: number | undefined;
}

export interface ProposedCompaction extends CompactionWork {
  readonly proposal: Proposal;
}

export interface PreparedCompaction extends ProposedCompaction {
  readonly epoch: number;
  readonly promptTokens: number;
  readonly release?: (() => Promise<void>) | undefined;
}

export class Preparation {
  #planned: (() => Promise<PreparedCompaction | undefined>) | undefined;
  #pending: Promise<void> | undefined;
  #ready: PreparedCompaction | undefined;
  /** After a failed attempt: the epoch, and the size at which to try again. */
  #retryFrom: { readonly epoch: number; readonly promptTokens: number } | undefined;
  readonly #stop = new AbortController();
  readonly progress = new Progress();

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether one is planned, running, or ready for this epoch. */
  isTaken(epoch: number): boolean {
    return this.#planned !== undefined || this.#pending !== undefined || this.#ready?.epoch === epoch;
  }

  mayTry(epoch: number, promptTokens: number): boolean {
    return this.#retryFrom?.epoch !== epoch || promptTokens >= this.#retryFrom.promptTokens;
  }

  plan(work: () => Promise<PreparedCompaction | undefined>): void {
    this.#planned = work;
  }

  /** Starts the planned work; returns undefined if there is none. */
  startPlanned(): Promise<void> | undefined {
    const work = this.#planned;
    this.#planned = undefined;
    return work && this.start(work);
  }

  /** Starts work in the background. Failed work leaves nothing ready; the returned promise rejects. */
  start(work: () => Promise<PreparedCompaction | undefined>): Promise<void> {
    const done = work().then((prepared) => {
      this.#ready = prepared;
    });
    this.#pending = done
      .catch(() => undefined)
      .finally(() => {
        this.#pending = undefined;
      });
    return done;
  }

  put(prepared: PreparedCompaction): void {
    this.#ready = prepared;
  }

  /** Records a failed attempt; the next one waits until the prompt is a tenth larger. */
  putOff(epoch: number, promptTokens: number): void {
    this.#retryFrom = { epoch, promptTokens: Math.ceil(promptTokens * 1.1) };
  }

  collect(): PreparedCompaction | undefined {
    const ready = this.#ready;
    this.#ready = undefined;
    return ready;
  }

  /** Releases the lease and keeps the prepared compaction. */
  async releaseLease(): Promise<void> {
    if (this.#ready?.release === undefined) return;
    const { release, ...rest } = this.#ready;
    this.#ready = rest;
    await release();
  }

  async wait(): Promise<void> {
    await this.#pending;
  }

  close(): void {
    this.#stop.abort();
  }
}

type NeedOptions =
  | "urgency"
  | "reason"
  | "atDepthCap"
  | "tailMessages"
  | "isSecondPass"
  | "mayShed"
  | "isFrozen"
  | "isPriced";

export interface CompactOptions
  extends Pick<SessionSnapshot, "limits" | "measure" | "settings" | "ownPrompt">,
    Pick<CompactionNeed, NeedOptions> {
  readonly phase: CompactionPhase;
  readonly triggers: readonly TriggerType[];
  /** Writes summaries: a model with code as its fallback, code alone, or neither. */
  readonly writtenBy: "model" | "code" | "none";
  readonly instructions?: string | undefined;
  /** Why a soft need was acted on now. */
  readonly gate?: GateVerdict | undefined;
}
