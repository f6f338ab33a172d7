import { Progress } from "../context/wait-timer.ts";
import type { ProposedCompaction } from "./find-need.ts";

export const PREPARING_REASON = "A compaction is still being prepared.";
export const LAST_TRY_REASON = "The last attempt changed nothing. The next one waits until the prompt has grown.";

export interface PreparedCompaction extends ProposedCompaction {
  readonly epoch: number;
  readonly promptTokens: number;
  readonly release?: (() => Promise<void>) | undefined;
}

interface PlannedWork {
  readonly run: () => Promise<PreparedCompaction | undefined>;
  /** Whether the work has its own copy of the conversation. */
  readonly isDetached: boolean;
}

export class Preparation {
  #planned: PlannedWork | undefined;
  /** Whether the running work has its own copy of the conversation. */
  #isDetached = false;
  #scheduled: Promise<void> | undefined;
  #pending: Promise<void> | undefined;
  #ready: PreparedCompaction | undefined;
  /** After a failed attempt: the epoch, and the size at which to try again. */
  #retryFrom: { readonly epoch: number; readonly promptTokens: number } | undefined;
  readonly #stop = new AbortController();
  readonly progress = new Progress();
  /** Writes a compaction that is ready, after the calls that wait. Undefined if nothing may be written. */
  apply: (() => Promise<void>) | undefined;
  /** A caller has waited too long for the running work; the next one does not wait again. */
  isLate = false;

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether a preparation is planned, running, or ready for this epoch. */
  isTaken(epoch: number): boolean {
    return this.#planned !== undefined || this.#pending !== undefined || this.#ready?.epoch === epoch;
  }

  isReady(epoch: number): boolean {
    return this.#ready?.epoch === epoch;
  }

  /** Whether planned or running work reads the conversation in memory, so that nothing unstored may be added to it. */
  get readsConversation(): boolean {
    const isPlanned = this.#planned !== undefined && !this.#planned.isDetached;
    return isPlanned || (this.#pending !== undefined && !this.#isDetached);
  }

  mayTry(epoch: number, promptTokens: number): boolean {
    return this.#retryFrom?.epoch !== epoch || promptTokens >= this.#retryFrom.promptTokens;
  }

  plan(run: PlannedWork["run"], { isDetached = false } = {}): void {
    this.#planned = { run, isDetached };
  }

  /** Plans work with its own copy of the conversation. `schedule` starts it later, and resolves when it has ended. */
  planDetached(run: PlannedWork["run"], schedule: () => Promise<void>): void {
    this.plan(run, { isDetached: true });
    this.#scheduled = schedule();
  }

  /** Forgets planned work that has its own copy of the conversation, because a caller does the same work now. */
  dropDetached(): void {
    if (this.#planned?.isDetached === true) this.#planned = undefined;
  }

  startPlanned(): Promise<void> | undefined {
    const planned = this.#planned;
    this.#planned = undefined;
    return planned && this.start(planned.run, planned);
  }

  /** Starts work in the background. Failed work leaves nothing ready; the returned promise rejects. */
  start(work: PlannedWork["run"], { isDetached = false } = {}): Promise<void> {
    this.isLate = false;
    this.#isDetached = isDetached;
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

  /** Resolves when scheduled and running work has ended. */
  async settle(): Promise<void> {
    await this.#scheduled;
    await this.#pending;
  }

  close(): void {
    this.dropDetached();
    this.#stop.abort();
  }
}
