/**
 * Jobs in a PostgreSQL database, by pg-boss: any number of processes may submit and run them. One runs per session and
 * one waits; a job whose worker dies is given to another one; a job that fails is tried again with growing pauses and
 * at last kept as a dead letter, where it can be seen. Running twice does no harm: the fence of the session's lease
 * refuses whoever comes late.
 */
import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { PgBoss } from "pg-boss";
import { AMOUNT, COUNT, checkOptions, FUNCTION, required } from "../core/check-options.ts";
import { PalimpsestError } from "../core/errors.ts";
import type { DeadLetter, Job, Jobs } from "../ports/jobs.ts";

export interface PgBossJobsOptions {
  /** Told of what goes wrong in the background. */
  readonly onError: (error: unknown) => void;
  /** Jobs that one process runs at once; two without it. */
  readonly concurrency?: number | undefined;
  /** How often a job is tried; five times without it. */
  readonly attempts?: number | undefined;
  /** The first pause; each further one is about twice as long, up to five minutes. */
  readonly firstPauseSeconds?: number | undefined;
  /** After so long without a sign of life a worker counts as dead; half a minute without it, and at least ten seconds. */
  readonly heartbeatSeconds?: number | undefined;
  /** How often dead workers are looked for; every ten seconds without it. */
  readonly superviseSeconds?: number | undefined;
}

const SCHEMA = "palimpsest_jobs";
const QUEUE = "compact";
const DEAD_LETTERS = "compact-dead";
const ATTEMPTS = 5;
const FIRST_PAUSE_SECONDS = 2;
const LONGEST_PAUSE_SECONDS = 300;
const HEARTBEAT_SECONDS = 30;
const SUPERVISE_SECONDS = 10;
const POLLING_SECONDS = 0.5;
const SETTLE_PAUSE_MS = 100;

/** Ids are kept inside a text, because a server takes not every character that they may have. */
interface StoredJob {
  readonly job: string;
  readonly session: string;
}

type AskedSession = Parameters<Jobs["settle"]>[0];

const RULES = {
  onError: required(FUNCTION),
  concurrency: COUNT,
  attempts: COUNT,
  firstPauseSeconds: AMOUNT,
  heartbeatSeconds: AMOUNT,
  superviseSeconds: AMOUNT,
} satisfies Record<keyof PgBossJobsOptions, unknown>;

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
    const text = "The jobs' database did not answer. Check its address, and that this user may create a schema there.";
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
    retryDelayMax: LONGEST_PAUSE_SECONDS,
    heartbeatSeconds: options.heartbeatSeconds ?? HEARTBEAT_SECONDS,
  });
}

class DatabaseJobs implements Jobs {
  readonly #boss: PgBoss;
  readonly #options: PgBossJobsOptions;
  readonly #closing = Promise.withResolvers<void>();
  /** pg-boss tells a job to end only when it has waited for long. */
  readonly #stopping = new AbortController();
  #isWorking = false;
  #isClosed = false;

  constructor(boss: PgBoss, options: PgBossJobsOptions) {
    this.#boss = boss;
    this.#options = options;
  }

  async submit(job: Job): Promise<void> {
    const stored: StoredJob = { job: JSON.stringify(job), session: hashSession(job) };
    // No id comes back where one is waiting: that one is it.
    await this.#boss.send(QUEUE, stored, { singletonKey: hash(stored.job) });
  }

  async work(run: (job: Job, signal: AbortSignal) => Promise<void>): Promise<void> {
    const settings = { localConcurrency: this.#options.concurrency ?? 2, pollingIntervalSeconds: POLLING_SECONDS };
    this.#isWorking = true;
    await this.#boss.work<StoredJob>(QUEUE, settings, async (jobs) => {
      const told = this.#stopping.signal;
      for (const { data, signal } of jobs) await run(readJob(data), AbortSignal.any([signal, told]));
    });
    await this.#closing.promise;
  }

  async settle(session: AskedSession): Promise<void> {
    while (this.#isWorking && (await this.#isOpen(session))) await setTimeout(SETTLE_PAUSE_MS);
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

  async #isOpen(session: AskedSession): Promise<boolean> {
    const jobs = await this.#boss.findJobs<StoredJob>(QUEUE, { data: { session: hashSession(session) } });
    return jobs.some(({ state }) => state === "created" || state === "retry" || state === "active");
  }
}

/** What we wrote ourselves. */
function readJob({ job }: StoredJob): Job {
  return JSON.parse(job) as Job;
}

/** What the job's last failure left beside it. */
function readReason(output: unknown): string {
  if (typeof output === "object" && output !== null && "message" in output) return String(output.message);
  return "It was tried too often.";
}

function hashSession({ tenantId, sessionId }: AskedSession): string {
  return hash(JSON.stringify([tenantId, sessionId]));
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
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
