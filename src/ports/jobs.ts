/**
 * Work that can wait: compactions after a reply. One job per session at a time, wherever it runs.
 *
 * A runner may lose a job when its process dies. That is allowed, because pending work is derived from the sessions'
 * state: whoever opens the session next finds that it is due.
 */
import type { SessionId } from "../core/log/entry.ts";

export interface Job {
  readonly tenantId: string;
  readonly sessionId: SessionId;
  readonly kind: "compact";
}

export interface Jobs {
  /** Returns once the job is accepted. A job for a session that has one waiting is the same job. */
  submit(job: Job): Promise<void>;
  /** Runs jobs until stopped. `run` may reject: the job is then tried again with growing pauses, at last set aside. */
  work(run: (job: Job, signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Resolves when no job of this session is waiting or running here. */
  settle(sessionId: SessionId): Promise<void>;
  /** Stops taking jobs and waits for the running ones. */
  close(): Promise<void>;
}
