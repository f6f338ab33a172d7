/** Runs jobs of many processes with pg-boss. A job may run twice: the fence of the lease refuses the late one. */
import { setTimeout } from "node:timers/promises";
import type { PgBoss } from "pg-boss";
import { AMOUNT, COUNT, checkOptions, FUNCTION, required } from "../core/check-options.ts";
import { PalimpsestError } from "../core/errors.ts";
import { hashText } from "../core/message/hash-message.ts";
import type { DeadLetter, Job, Jobs } from "../ports/jobs.ts";

/** How many jobs run at once, how often they are retried, and where failures are reported. */
export interface PgBossJobsOptions {
  /** Called with failures in the background. */
  readonly onError: (error: unknown) => void;
  /** Concurrent jobs of this process; default two. */
  readonly concurrency?: number | undefined;
  /** Attempts for each job; default five. */
  readonly attempts?: number | undefined;
  /** The first pause; each further one is about twice as long, up to five minutes. */
  readonly firstPauseSeconds?: number | undefined;
  /** Time without heartbeat after which a worker counts as dead; default 30 seconds, at least ten. */
  readonly heartbeatSeconds?: number | undefined;
  /** Interval of the check for dead workers; default ten seconds. */
  readonly superviseSeconds?: number | undefined;
}

const SCHEMA = "palimpsest_jobs";
const QUEUE = "compact";
const DEAD_LETTERS = "compact-dead";
const ATTEMPTS = 5;
const FIRST_PAUSE_SECONDS = 2;
const MAX_PAUSE_SECONDS = 300;
const HEARTBEAT_SECONDS = 30;
const SUPERVISE_SECONDS = 10;
const POLLING_SECONDS = 0.5;
const SETTLE_PAUSE_MS = 100;

/** The job as JSON text, because the server does not accept every character of an id. */
interface StoredJob {
  readonly job: string;
  readonly session: string;
}

type SessionKey = Parameters<Jobs["settle"]>[0];

const RULES = {
  onError: required(FUNCTION),
  concurrency: COUNT,
  attempts: COUNT,
  firstPauseSeconds: AMOUNT,
  heartbeatSeconds: AMOUNT,
  superviseSeconds: AMOUNT,
} satisfies Record<keyof PgBossJobsOptions, unknown>;

/**
 * Opens jobs on PostgreSQL, for the option `jobs`. Needs the package `pg-boss`.
 *
 * @example
 * ```ts
 * const url = "postgres://127.0.0.1/chats";
 * const palimpsest = await openPalimpsest({ store: url, jobs: await openPgBossJobs(url, { onError: console.error }) });
 * ```
 */
export async function openPgBossJobs(url: string, options: PgBossJobsOptions): Promise<Jobs> {
  checkOptions(options, RULES, "openPgBossJobs");
  const { superviseSeconds = SUPERVISE_SECONDS } = options;
  const { PgBoss } = await loadPgBoss();
  const boss = new PgBoss({
    connectionString: url,
    schema: SCHEMA,
    application_name: "palimpsest-jobs",
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  });
  boss.on("error", options.onError);
  try {
    await boss.start();
    await createQueues(boss, options);
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    const text = "The job database did not answer. Check its address, and that this user may create a schema there.";
    throw new PalimpsestError("store-unavailable", text, { cause: error });
  }
  return new DatabaseJobs(boss, options);
}

async function createQueues(boss: PgBoss, options: PgBossJobsOptions): Promise<void> {
  const { attempts = ATTEMPTS, firstPauseSeconds = FIRST_PAUSE_SECONDS } = options;
  await boss.createQueue(DEAD_LETTERS);
  await boss.createQueue(QUEUE, {
    policy: "stately",
    deadLetter: DEAD_LETTERS,
    retryLimit: attempts - 1,
    retryDelay: firstPauseSeconds,
    retryBackoff: true,
    retryDelayMax: MAX_PAUSE_SECONDS,
    heartbeatSeconds: options.heartbeatSeconds ?? HEARTBEAT_SECONDS,
  });
}

class DatabaseJobs implements Jobs {
  readonly #boss: PgBoss;
  readonly #options: PgBossJobsOptions;
  readonly #closing = Promise.withResolvers<void>();
  /** Cancels running jobs at once; pg-boss would cancel them only after a long wait. */
  readonly #stopping = new AbortController();
  #isWorking = false;
  #isClosed = false;

  constructor(boss: PgBoss, options: PgBossJobsOptions) {
    this.#boss = boss;
    this.#options = options;
  }

  async submit(job: Job): Promise<void> {
    const stored: StoredJob = { job: JSON.stringify(job), session: hashSession(job) };
    // No id is returned if one is already waiting.
    await this.#boss.send(QUEUE, stored, { singletonKey: hashText(stored.job) });
  }

  async work(run: (job: Job, signal: AbortSignal) => Promise<void>): Promise<void> {
    const settings = { localConcurrency: this.#options.concurrency ?? 2, pollingIntervalSeconds: POLLING_SECONDS };
    this.#isWorking = true;
    await this.#boss.work<StoredJob>(QUEUE, settings, async (jobs) => {
      const stopSignal = this.#stopping.signal;
      for (const { data, signal } of jobs) await run(readJob(data), AbortSignal.any([signal, stopSignal]));
    });
    await this.#closing.promise;
  }

  async settle(session: SessionKey): Promise<void> {
    while (this.#isWorking && (await this.#hasOpenJob(session))) await setTimeout(SETTLE_PAUSE_MS);
  }

  async readDeadLetters(): Promise<readonly DeadLetter[]> {
    const letters = await this.#boss.findJobs<StoredJob>(DEAD_LETTERS);
    return letters
      .map(({ data, createdOn, sourceOutput }) => ({
        job: readJob(data),
        failedAt: createdOn.getTime(),
        reason: readReason(sourceOutput),
      }))
      .sort((left, right) => left.failedAt - right.failedAt);
  }

  async drain(): Promise<void> {
    this.#isWorking = false;
    await this.#boss.offWork(QUEUE, { wait: true });
    this.#closing.resolve();
  }

  async close(): Promise<void> {
    this.#isWorking = false;
    this.#stopping.abort();
    if (!this.#isClosed) await this.#boss.stop({ graceful: true });
    this.#isClosed = true;
    this.#closing.resolve();
  }

  async #hasOpenJob(session: SessionKey): Promise<boolean> {
    const jobs = await this.#boss.findJobs<StoredJob>(QUEUE, { data: { session: hashSession(session) } });
    return jobs.some(({ state }) => state === "created" || state === "retry" || state === "active");
  }
}

function readJob({ job }: StoredJob): Job {
  return JSON.parse(job) as Job;
}

function readReason(output: unknown): string {
  if (typeof output === "object" && output !== null && "message" in output) return String(output.message);
  return "All retries failed.";
}

function hashSession({ tenantId, sessionId }: SessionKey): string {
  return hashText(JSON.stringify([tenantId, sessionId]));
}

async function loadPgBoss(): Promise<typeof import("pg-boss")> {
  try {
    return await import("pg-boss");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    const text = "jobs: PostgreSQL needs the package pg-boss, which is not installed. Run: npm install pg-boss";
    throw new PalimpsestError("config-invalid", text, { cause: error, details: { key: "jobs" } });
  }
}
