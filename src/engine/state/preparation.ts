/**
 * A compaction that is made ready while others go on: at most one at a time, anchored to the epoch it was made on, and
 * thrown away when the past has changed since. Messages that arrive meanwhile do not disturb it.
 */

import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { Proposal } from "../../core/plan/proposal.ts";
import type { TriggerType } from "../../core/plan/triggers/trigger.ts";
import type { OwnPrompt } from "../../ports/summarizer.ts";
import type { CompactionPhase } from "../context/events.ts";
import type { Limits, Measure } from "../context/prompt-size.ts";
import type { SummaryAttempt } from "../context/summary-attempt.ts";
import { Progress } from "../context/wait-timer.ts";

/** Why nothing is done meanwhile, as the plan says it. */
export const IS_PREPARING = "A compaction is still being prepared.";
/** Why a compaction is not tried again, as the plan says it. */
export const LAST_TRY_FAILED = "The last attempt changed nothing. The next one waits until the prompt has grown.";

export interface PreparedCompaction {
  readonly proposal: Proposal;
  readonly epoch: number;
  /** What the prompt took when it was made. */
  readonly promptTokens: number;
  readonly options: CompactOptions;
  readonly attempts: readonly SummaryAttempt[];
  readonly durationMs: number;
  /** Of the lease that it was made under, where a newer one makes it stale. */
  readonly fence?: number | undefined;
  /** Gives that lease back, where it is kept until the proposal is written. */
  readonly release?: (() => Promise<void>) | undefined;
}

export class Preparation {
  #planned: (() => Promise<PreparedCompaction | undefined>) | undefined;
  #pending: Promise<void> | undefined;
  #ready: PreparedCompaction | undefined;
  /** After a try that came to nothing, the epoch and size at which another is worth making. */
  #retryFrom: { readonly epoch: number; readonly promptTokens: number } | undefined;
  readonly #stop = new AbortController();
  /** Signs of life of what is being made. */
  readonly progress = new Progress();

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether one is to be made, is being made, or waits to be applied to this epoch. */
  isTaken(epoch: number): boolean {
    return this.#planned !== undefined || this.#pending !== undefined || this.#ready?.epoch === epoch;
  }

  /** Whether a try that failed at this epoch has had its time: the prompt must have grown since. */
  mayTry(epoch: number, promptTokens: number): boolean {
    return this.#retryFrom?.epoch !== epoch || promptTokens >= this.#retryFrom.promptTokens;
  }

  /** To be begun by whoever runs jobs. */
  plan(work: () => Promise<PreparedCompaction | undefined>): void {
    this.#planned = work;
  }

  /** Begins what is planned; undefined where nothing is. */
  startPlanned(): Promise<void> | undefined {
    const work = this.#planned;
    this.#planned = undefined;
    return work && this.start(work);
  }

  /** Begins in the background. Work that fails leaves nothing behind; what is given back tells of it. */
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

  /** Nothing came of it; the next try waits until the prompt is a tenth larger. */
  putOff(epoch: number, promptTokens: number): void {
    this.#retryFrom = { epoch, promptTokens: Math.ceil(promptTokens * 1.1) };
  }

  /** What is ready, whatever epoch it was made on. It is the caller's from then on. */
  collect(): PreparedCompaction | undefined {
    const ready = this.#ready;
    this.#ready = undefined;
    return ready;
  }

  /** What is ready stays so, without keeping others from working on the session. */
  async releaseLease(): Promise<void> {
    if (this.#ready?.release === undefined) return;
    const { release, ...rest } = this.#ready;
    this.#ready = rest;
    await release();
  }

  /** Resolves when nothing is under way any more. */
  async wait(): Promise<void> {
    await this.#pending;
  }

  close(): void {
    this.#stop.abort();
  }
}

export interface CompactOptions {
  readonly limits: Limits;
  readonly measure: Measure;
  readonly reason: string;
  readonly settings: PlanSettings;
  readonly urgency: "soft" | "hard";
  readonly phase: CompactionPhase;
  readonly triggers: readonly TriggerType[];
  readonly atDepthCap?: "fold" | "truncate" | undefined;
  readonly tailMessages?: number | undefined;
  readonly isSecondPass?: boolean | undefined;
  /** Whether a summarizer may be asked. Code may always write. */
  readonly writtenBy: "model" | "code" | "none";
  /** Whether there are files to be left out before words are cut. */
  readonly mayShed?: boolean | undefined;
  /** Messages that a provider has in its cache and that stand so far in front that they are left alone. */
  readonly isFrozen?: ((seq: number) => boolean) | undefined;
  readonly instructions?: string | undefined;
  readonly ownPrompt?: (() => OwnPrompt) | undefined;
  /** Whether a summary has to be paid for. */
  readonly isPriced?: boolean | undefined;
  /** Why what could have waited was done now. */
  readonly gate?: GateVerdict | undefined;
}
