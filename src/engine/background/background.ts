/** Background work of an engine: jobs and notifications. Failures are emitted as events and never fail a call. */
import type { OptionRule } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import type { Job, Jobs } from "../../ports/jobs.ts";
import type { Notification, Notifications } from "../../ports/notifications.ts";
import type { SessionSummary, Store } from "../../ports/store.ts";
import { isJobDue } from "../compaction/run-job.ts";
import type { EngineContext, SessionJobs } from "../context/engine-context.ts";
import type { Session } from "../session/session.ts";
import { listSessions } from "../session-list/list-sessions.ts";
import { OpenSessions } from "./open-sessions.ts";

/** The parts of an engine besides the shared context. All are closed with the engine. */
export interface EngineParts {
  readonly store: Store;
  /** Default: `local`. */
  readonly tenantId?: string | undefined;
  readonly jobs: Jobs;
  /** Whether this process runs jobs from the start; otherwise it runs them once `work` is called. */
  readonly runsJobs: boolean;
  readonly notifications?: Notifications | undefined;
}

const LOOK_MS = 60_000;
/** Replaces the seq in a notification of a deletion. */
const DELETED = 0;

/** Errors that a retry does not fix, or that no longer concern a caller. */
const FINAL: readonly string[] = ["closed", "session-not-found", "does-not-fit", "summarizer-failed", "config-invalid"];

export class BackgroundWork {
  readonly #context: EngineContext;
  readonly #parts: EngineParts;
  readonly #tenantId: string;
  #sessions: OpenSessions | undefined;
  #isWorking = false;
  #stopListening: (() => void) | undefined;
  #isClosed = false;

  constructor(context: EngineContext, parts: EngineParts) {
    this.#context = context;
    this.#parts = parts;
    this.#tenantId = parts.tenantId ?? "local";
  }

  /** Returns the context of a tenant's sessions; by default of the engine's own tenant. */
  contextFor(tenantId = this.#tenantId): EngineContext {
    const store = tenantId === this.#tenantId ? this.#context.store : this.#parts.store.tenant(tenantId);
    const { notifications } = this.#parts;
    const announce = notifications && ((sessionId: string, seq: number) => this.#notify({ tenantId, sessionId, seq }));
    return { ...this.#context, store, jobs: this.#jobsFor(tenantId), announce };
  }

  serve(sessions: OpenSessions): void {
    this.#sessions = sessions;
    if (this.#parts.runsJobs) this.#startWorking();
  }

  listen(): void {
    this.#stopListening ??= this.#parts.notifications?.listen((notification) => this.#receive(notification));
  }

  announceDeletion(sessionId: string): void {
    const notification = { tenantId: this.#tenantId, sessionId, seq: DELETED };
    if (this.#parts.notifications === undefined) this.#receive(notification);
    else this.#notify(notification);
  }

  /** Looks for pending work of an opened session, without blocking the caller. */
  resume(session: Session): void {
    session.resume().catch((error: unknown) => this.#warn(session.id, error));
  }

  async work(options: WorkOptions): Promise<void> {
    const sessions = this.#sessions;
    if (sessions === undefined) return;
    const { once = false, everyMs = LOOK_MS, signal } = options;
    const isEnded = () => signal?.aborted === true || this.#isClosed;
    this.#startWorking();
    while (!isEnded()) {
      const due = await submitDue(sessions, options).catch((error: unknown) => {
        if (once || !(error instanceof PalimpsestError) || !error.retryable) throw error;
        // A store that is down for a while does not end the loop.
        this.#warn(undefined, error);
        return [];
      });
      if (once)
        await Promise.all(due.map((id) => this.#parts.jobs.settle({ tenantId: this.#tenantId, sessionId: id })));
      if (once) return;
      if (!isEnded()) await this.#context.sleep(everyMs, signal);
    }
    await this.#parts.jobs.drain();
  }

  readDeadLetters(): ReturnType<Jobs["readDeadLetters"]> {
    return this.#parts.jobs.readDeadLetters();
  }

  /** Waits for the sessions with `settle`; warns about work that does not stop. */
  async close(settle: () => Promise<void>, { withinMs = MAX_WAIT_MS }: CloseOptions): Promise<void> {
    this.#isClosed = true;
    this.#stopListening?.();
    if (!(await endsWithin(withinMs, this.#parts.jobs.close().then(settle)))) {
      const text = `Background work did not stop within ${withinMs} ms. It continues, but this process no longer waits for it.`;
      this.#context.emitter.emit("warning", { sessionId: undefined, text });
    }
    await this.#parts.notifications?.close();
  }

  #startWorking(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#parts.jobs
      .work((job, signal) => this.#run(job, signal))
      .catch((error: unknown) => this.#warn(undefined, error));
  }

  /** Uses the open session, if this process has one, so that its planned work starts at once. */
  #run(job: Job, signal: AbortSignal): Promise<void> {
    const isOwn = job.tenantId === this.#tenantId && this.#sessions !== undefined;
    const sessions = isOwn ? this.#sessions : this.#othersOf(job.tenantId);
    const held = sessions?.find(job.sessionId);
    const running = held?.runJob(signal) ?? sessions?.hold(job.sessionId).then((session) => session.runJob(signal));
    return this.#reportEnd(job, running ?? Promise.resolve());
  }

  async #reportEnd(job: Job, running: Promise<void>): Promise<void> {
    const { clock, emitter } = this.#context;
    const { tenantId, sessionId } = job;
    const startedAt = clock.now();
    const end = (outcome: "done" | "failed", reason?: string) => {
      const durationMs = Math.max(0, clock.now() - startedAt);
      emitter.emit("job-end", { tenantId, sessionId, outcome, reason, durationMs });
    };
    try {
      await running;
      end("done");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const code = error instanceof PalimpsestError ? error.code : undefined;
      if (code !== "closed" && code !== "session-not-found") {
        end("failed", reason);
        this.#warn(sessionId, error);
      }
      if (code === undefined || !FINAL.includes(code)) throw error;
    }
  }

  #othersOf(tenantId: string): OpenSessions {
    return new OpenSessions(this.contextFor(tenantId), () => {
      throw new TypeError("A job cannot create a session.");
    });
  }

  #jobsFor(tenantId: string): SessionJobs {
    const { jobs } = this.#parts;
    const isWorking = () => this.#isWorking;
    return {
      get runHere() {
        return isWorking();
      },
      submit: (sessionId) =>
        jobs.submit({ tenantId, sessionId, kind: "compact" }).catch((error: unknown) => this.#warn(sessionId, error)),
      settle: (sessionId) => jobs.settle({ tenantId, sessionId }),
    };
  }

  #notify(notification: Notification): void {
    this.#parts.notifications?.notify(notification).catch((error: unknown) => this.#warn(undefined, error));
  }

  #receive({ tenantId, sessionId, seq }: Notification): void {
    if (tenantId !== this.#tenantId || this.#isClosed) return;
    if (seq === DELETED) {
      this.#context.emitter.emit("session-deleted", { sessionId });
      return;
    }
    this.#context.emitter.emit("session-grown", { sessionId, seq });
    void this.#sessions?.find(sessionId)?.refresh(seq);
  }

  /** Ignores errors about closed parts after a close. */
  #warn(sessionId: string | undefined, error: unknown): void {
    if (this.#isClosed || (error instanceof PalimpsestError && error.code === "closed")) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#context.emitter.emit("warning", { sessionId, text: `The background work of a session failed: ${reason}` });
  }
}

/**
 * How long closing waits for running work.
 *
 * @example
 * ```ts
 * await palimpsest.close({ withinMs: 5_000 });
 * ```
 */
export interface CloseOptions {
  /** How long to wait for running work to stop; at most, and by default, half a minute. */
  readonly withinMs?: number | undefined;
}

export const MAX_WAIT_MS = 30_000;

const PATIENCE: OptionRule = {
  allowed: `a whole number from 0 to ${MAX_WAIT_MS}`,
  holds: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_WAIT_MS,
};

export const CLOSE_RULES = { withinMs: PATIENCE };

/** Returns whether the work ended in time. Rejects if it fails in time. */
export async function endsWithin(withinMs: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), withinMs);
  try {
    // A later failure is ignored.
    work.catch(() => undefined);
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * How often a worker checks sessions, how many, and when it ends.
 *
 * @example
 * ```ts
 * await palimpsest.work({ signal: AbortSignal.timeout(60_000) });
 * ```
 */
export interface WorkOptions {
  /** Checks once, runs what is due, and ends. */
  readonly once?: boolean | undefined;
  /** Number of sessions to check, the most recently used first; default a thousand. */
  readonly newestSessions?: number | undefined;
  /** Time between two checks; default a minute. */
  readonly everyMs?: number | undefined;
  /** Ends the work: running jobs finish, no others start. */
  readonly signal?: AbortSignal | undefined;
}

const NEWEST = 1_000;
const PAGE = 50;

/** Submits a job for each session with pending work, and returns the ids of these sessions. */
export async function submitDue(
  sessions: OpenSessions,
  { newestSessions = NEWEST, signal }: WorkOptions,
): Promise<readonly SessionId[]> {
  const { store, jobs } = sessions.context;
  const isEnded = () => signal?.aborted === true;
  const due: SessionId[] = [];
  let after: SessionSummary | undefined;
  for (let seen = 0; seen < newestSessions && !isEnded(); ) {
    const page = await listSessions(store, { limit: Math.min(PAGE, newestSessions - seen), after });
    for (const { id } of page) {
      if (isEnded() || !(await isSessionDue(sessions, id))) continue;
      await jobs?.submit(id);
      due.push(id);
    }
    seen += page.length;
    after = page.at(-1);
    if (after === undefined) break;
  }
  return due;
}

/** Returns false for a session that was deleted in the meantime or cannot be read. */
async function isSessionDue(sessions: OpenSessions, id: SessionId): Promise<boolean> {
  try {
    return await isJobDue(await sessions.readState(id));
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.code === "closed") throw error;
    if (error.code === "session-not-found") return false;
    const text = `A session could not be checked: ${error.message}`;
    sessions.context.emitter.emit("warning", { sessionId: id, text });
    return false;
  }
}
