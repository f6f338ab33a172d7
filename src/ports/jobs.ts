/**
 * Runs background work: compactions after a reply, and preparations. A session has one job at a time, in any process. A
 * job is a hint to check a session: the log shows whether anything is due, and the store's lease and fence ensure that
 * due work is done only once.
 *
 * A runner may lose a job when its process dies, because pending work is derived from the sessions' state: the next
 * process that opens the session, and every worker that scans for due sessions, finds it.
 */
import type { SessionId } from "../core/log/entry.ts";

/** A request to check a session for pending work. */
export interface Job {
  readonly tenantId: string;
  readonly sessionId: SessionId;
  readonly kind: "compact";
}

/** A job that failed too often. Its session is unchanged and is checked again with its next reply. */
export interface DeadLetter {
  readonly job: Job;
  /** Epoch milliseconds. */
  readonly failedAt: number;
  /** Message of the last failure. */
  readonly reason: string;
}

/** Runs jobs in this process or by workers, and retries those that fail. */
export interface Jobs {
  /** Resolves once the job is accepted. A second job for a session that has a waiting job counts as that job. */
  submit(job: Job): Promise<void>;
  /** Runs jobs until stopped. A rejected job is retried with growing pauses, and finally becomes a dead letter. */
  work(run: (job: Job, signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Resolves when this process has no job of the session; immediately in a process that only submits. */
  settle(session: Pick<Job, "tenantId" | "sessionId">): Promise<void>;
  /** Lists dead letters, oldest first; at least the newest hundred. */
  readDeadLetters(): Promise<readonly DeadLetter[]>;
  /** Accepts no more jobs and waits for the running ones without canceling them. */
  drain(): Promise<void>;
  /** Accepts no more jobs, cancels the running ones and waits for them. */
  close(): Promise<void>;
}
