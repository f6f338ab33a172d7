import { Progress } from "../context/wait-timer.ts";
import type { ProposedCompaction } from "./find-need.ts";

export const PREPARING_REASON = "A compaction is still being prepared.";
export const LAST_TRY_REASON = "The last attempt changed nothing. The next one waits until the prompt has grown.";

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
  /** A caller has waited too long for the running work; the next one does not wait again. */
  isLate = false;

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether a preparation is planned, running, or ready for this epoch. */
  isTaken(epoch: number): boolean {
    return this.#planned !== undefined || this.#pending !== undefined || this.#ready?.epoch === epoch;
  }

  /** Whether no work is planned or running. A compaction may be ready. */
  get isIdle(): boolean {
    return this.#planned === undefined && this.#pending === undefined;
  }

  mayTry(epoch: number, promptTokens: number): boolean {
    return this.#retryFrom?.epoch !== epoch || promptTokens >= this.#retryFrom.promptTokens;
  }

  plan(work: () => Promise<PreparedCompaction | undefined>): void {
    this.#planned = work;
  }

  startPlanned(): Promise<void> | undefined {
    const work = this.#planned;
    this.#planned = undefined;
    return work && this.start(work);
  }

  /** Starts work in the background. Failed work leaves nothing ready; the returned promise rejects. */
  start(work: () => Promise<PreparedCompaction | undefined>): Promise<void> {
    this.isLate = false;
    const done = work().then((prepared) => {
      this.#ready = prepared;
    });
    this.#pending = done
      .catch(() => undefined)
      .finally(() => {
        this.#pending = undefined;
        this.isLate = false;
      });
    return done;
  }

  put(prepared: PreparedCompaction): void {
    this.#ready = prepared;
  }

  putOff(epoch: number, promptTokens: number): void {
    this.#retryFrom = { epoch, promptTokens: Math.ceil(promptTokens * 1.1) };
  }

  collect(): PreparedCompaction | undefined {
    const ready = this.#ready;
    this.#ready = undefined;
    return ready;
  }

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
