/** Runs jobs in this process, one for each session, with retries. Lost jobs are found again in the sessions' state. */
import { EventEmitter, once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { PalimpsestError } from "../core/errors.ts";
import { redactForDisplay } from "../core/summary/secrets/redact-secrets.ts";
import type { DeadLetter, Job, Jobs } from "../ports/jobs.ts";

export interface InProcessJobsOptions {
  /** Concurrent jobs; default two. */
  readonly concurrency?: number | undefined;
  /** Attempts for each job; default five. */
  readonly attempts?: number | undefined;
  /** The first pause; each further one is twice as long, up to a minute. */
  readonly firstPauseMs?: number | undefined;
}

const CONCURRENCY = 2;
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const MAX_DEAD_LETTERS = 100;

export function createInProcessJobs(options: InProcessJobsOptions = {}): Jobs {
  return new JobRunner(options);
}

type Run = Parameters<Jobs["work"]>[0];

class JobRunner implements Jobs {
  readonly #options: InProcessJobsOptions;
  /** By session, in submission order. */
  readonly #waiting = new Map<string, Job>();
  readonly #running = new Map<string, Job>();
  readonly #deadLetters: DeadLetter[] = [];
  /** Aborted when no further job may start; it also ends pauses between attempts. */
  readonly #draining = new AbortController();
  /** Aborted when running jobs are canceled. */
  readonly #closing = new AbortController();
  #run: Run | undefined;
  readonly #events = new EventEmitter().setMaxListeners(0);

  constructor(options: InProcessJobsOptions) {
    this.#options = options;
  }

  async readDeadLetters(): Promise<readonly DeadLetter[]> {
    return [...this.#deadLetters];
  }

  async submit(job: Job): Promise<void> {
    if (this.#draining.signal.aborted)
      throw new PalimpsestError("closed", "The job queue was closed. Create a new one.");
    const key = JSON.stringify([job.tenantId, job.sessionId, job.kind]);
    if (!this.#waiting.has(key)) this.#waiting.set(key, job);
    this.#start();
  }

  async work(run: Run): Promise<void> {
    this.#run = run;
    this.#start();
    await this.#waitUntil(() => this.#draining.signal.aborted && this.#running.size === 0);
  }

  async settle({ tenantId, sessionId }: Parameters<Jobs["settle"]>[0]): Promise<void> {
    const isSameSession = (job: Job) => job.tenantId === tenantId && job.sessionId === sessionId;
    const hasOpenJob = () => [...this.#waiting.values(), ...this.#running.values()].some(isSameSession);
    // Pauses between attempts do not keep the process alive; waiting for their end does.
    const keepAlive = setInterval(() => undefined, MAX_PAUSE_MS);
    try {
      await this.#waitUntil(() => !hasOpenJob());
    } finally {
      clearInterval(keepAlive);
    }
  }

  async drain(): Promise<void> {
    this.#waiting.clear();
    this.#draining.abort();
    this.#events.emit("change");
    await this.#waitUntil(() => this.#running.size === 0);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.drain();
  }

  #start(): void {
    const { concurrency = CONCURRENCY } = this.#options;
    if (this.#run === undefined || this.#draining.signal.aborted) return;
    for (const [key, job] of this.#waiting) {
      if (this.#running.size >= concurrency) return;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      this.#running.set(key, job);
      void this.#runWithRetries(job, this.#run).finally(() => {
        this.#running.delete(key);
        this.#start();
        this.#events.emit("change");
      });
    }
  }

  /** Never rejects: a job that failed too often becomes a dead letter. */
  async #runWithRetries(job: Job, run: Run): Promise<void> {
    const { attempts = ATTEMPTS, firstPauseMs = FIRST_PAUSE_MS } = this.#options;
    const { signal } = this.#draining;
    for (let attempt = 1; attempt === 1 || !signal.aborted; attempt += 1) {
      try {
        return await run(job, this.#closing.signal);
      } catch (error) {
        if (signal.aborted) return;
        if (attempt >= attempts) return this.#addDeadLetter(job, error);
      }
      const pauseMs = Math.min(firstPauseMs * 2 ** (attempt - 1), MAX_PAUSE_MS);
      // Closing aborts the pause.
      await setTimeout(pauseMs * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #addDeadLetter(job: Job, error: unknown): void {
    const reason = redactForDisplay(error instanceof Error ? error.message : String(error));
    this.#deadLetters.push({ job, failedAt: Date.now(), reason });
    if (this.#deadLetters.length > MAX_DEAD_LETTERS) this.#deadLetters.shift();
  }

  async #waitUntil(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await once(this.#events, "change");
  }
}
