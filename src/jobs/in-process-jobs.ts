/**
 * Runs jobs in this process, a few at a time and one per session. A job that fails is tried again with growing pauses
 * and at last set aside, where it can be seen. Nothing is kept when the process ends: what is due is found again in the
 * sessions' own state.
 */
import { setTimeout } from "node:timers/promises";
import { PalimpsestError } from "../core/errors.ts";
import { sayWithoutSecrets } from "../core/summary/secrets/say-without-secrets.ts";
import type { DeadLetter, Job, Jobs } from "../ports/jobs.ts";

export interface InProcessJobsOptions {
  /** Jobs that run at once; two without it. */
  readonly concurrency?: number | undefined;
  /** How often a job is tried; five times without it. */
  readonly attempts?: number | undefined;
  /** The first pause; each further one is twice as long, up to a minute. */
  readonly firstPauseMs?: number | undefined;
}

const CONCURRENCY = 2;
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const MOST_SET_ASIDE = 100;

export function createInProcessJobs(options: InProcessJobsOptions = {}): Jobs {
  return new JobRunner(options);
}

type Run = Parameters<Jobs["work"]>[0];

class JobRunner implements Jobs {
  readonly #options: InProcessJobsOptions;
  /** By session, in the order of their submission. */
  readonly #waiting = new Map<string, Job>();
  readonly #running = new Map<string, Job>();
  readonly #failed: DeadLetter[] = [];
  /** Nothing is begun any more, and no pause is waited out. */
  readonly #draining = new AbortController();
  /** What runs is told to stop. */
  readonly #closing = new AbortController();
  #run: Run | undefined;
  /** Called whenever a job has ended, by whoever waits for that. */
  readonly #watchers = new Set<() => void>();

  constructor(options: InProcessJobsOptions) {
    this.#options = options;
  }

  async readDeadLetters(): Promise<readonly DeadLetter[]> {
    return [...this.#failed];
  }

  async submit(job: Job): Promise<void> {
    if (this.#draining.signal.aborted) throw closed();
    const key = keyOf(job);
    if (!this.#waiting.has(key)) this.#waiting.set(key, job);
    this.#start();
  }

  async work(run: Run): Promise<void> {
    this.#run = run;
    this.#start();
    await this.#until(() => this.#draining.signal.aborted && this.#running.size === 0);
  }

  async settle({ tenantId, sessionId }: Parameters<Jobs["settle"]>[0]): Promise<void> {
    const isAsked = (job: Job) => job.tenantId === tenantId && job.sessionId === sessionId;
    const isOpen = () => [...this.#waiting.values(), ...this.#running.values()].some(isAsked);
    // Pauses between tries keep no process alive; somebody who waits for their end does.
    const awake = setInterval(() => undefined, LONGEST_PAUSE_MS);
    try {
      await this.#until(() => !isOpen());
    } finally {
      clearInterval(awake);
    }
  }

  async drain(): Promise<void> {
    this.#waiting.clear();
    this.#draining.abort();
    this.#tellWatchers();
    await this.#until(() => this.#running.size === 0);
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
      void this.#try(job, this.#run).finally(() => {
        this.#running.delete(key);
        this.#start();
        this.#tellWatchers();
      });
    }
  }

  /** Never rejects: a job that is given up is set aside. */
  async #try(job: Job, run: Run): Promise<void> {
    const { attempts = ATTEMPTS, firstPauseMs = FIRST_PAUSE_MS } = this.#options;
    const { signal } = this.#draining;
    for (let attempt = 1; attempt === 1 || !signal.aborted; attempt += 1) {
      try {
        return await run(job, this.#closing.signal);
      } catch (error) {
        if (signal.aborted) return;
        if (attempt >= attempts) return this.#setAside(job, error);
      }
      const pauseMs = Math.min(firstPauseMs * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
      // The abort of a pause is how it ends when the runner is closed.
      await setTimeout(pauseMs * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #setAside(job: Job, error: unknown): void {
    const reason = sayWithoutSecrets(error instanceof Error ? error.message : String(error));
    this.#failed.push({ job, failedAt: Date.now(), reason });
    if (this.#failed.length > MOST_SET_ASIDE) this.#failed.shift();
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      await new Promise<void>((resolve) => {
        const watcher = () => {
          this.#watchers.delete(watcher);
          resolve();
        };
        this.#watchers.add(watcher);
      });
    }
  }

  #tellWatchers(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

function keyOf({ tenantId, sessionId, kind }: Job): string {
  return JSON.stringify([tenantId, sessionId, kind]);
}

function closed(): PalimpsestError {
  return new PalimpsestError("closed", "The jobs were closed; make new ones.");
}
