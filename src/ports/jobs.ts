/**
 * Work that can wait: compactions after a reply, and those that are made ready in time. One job per session at a time,
 * wherever it runs. A job is a hint to look at a session: whether there is anything to do is found in its log, and that
 * it is done once is kept by the store's lease and fence.
 *
 * A runner may lose a job when its process dies. That is allowed, because pending work is derived from the sessions'
 * state: whoever opens the session next, and every worker that looks around, finds that it is due.
 */
import type { SessionId } from "../core/log/entry.ts";

export interface Job {
  readonly tenantId: string;
  readonly sessionId: SessionId;
  readonly kind: "compact";
}

/** A job that was tried often enough. Its session is as it was, and is looked at again with its next reply. */
export interface DeadLetter {
  readonly job: Job;
  /** Epoch milliseconds. */
  readonly failedAt: number;
  /** What went wrong the last time, in words. */
  readonly reason: string;
}

export interface Jobs {
  /** Returns once the job is accepted. A job for a session that has one waiting is the same job. */
  submit(job: Job): Promise<void>;
  /** Runs jobs until stopped. `run` may reject: the job is then tried again with growing pauses, at last set aside. */
  work(run: (job: Job, signal: AbortSignal) => Promise<void>): Promise<void>;
  /**
   * Resolves when no job of this tenant's session is waiting or running, where this process runs jobs. Whoever only
   * submits has nothing to wait for.
   */
  settle(session: Pick<Job, "tenantId" | "sessionId">): Promise<void>;
  /** Jobs that were given up, oldest first; at least the newest hundred. */
  readDeadLetters(): Promise<readonly DeadLetter[]>;
  /** Takes no more jobs and waits for the running ones, which are not told to stop. */
  drain(): Promise<void>;
  /** Takes no more jobs, tells the running ones to stop, and waits for them. Whoever has no patience need not wait. */
  close(): Promise<void>;
}
