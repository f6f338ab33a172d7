/**
 * Looks for sessions that have something waiting and submits a job for each: after a restart nobody else may know. It
 * goes through the newest ones only, a page at a time, and does the work of none itself.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import type { SessionSummary } from "../../ports/store.ts";
import { isJobDue } from "../compaction/run-job.ts";
import { listSessions } from "../session-list/list-sessions.ts";
import type { OpenSessions } from "./open-sessions.ts";

export interface WorkOptions {
  /** Looks once, does what is due, and ends. */
  readonly once?: boolean | undefined;
  /** How many of the newest sessions are looked at each time; a thousand without it. */
  readonly newestSessions?: number | undefined;
  /** How often they are looked at; once a minute without it. */
  readonly everyMs?: number | undefined;
  /** Ends it: running jobs are finished, no other is begun. */
  readonly signal?: AbortSignal | undefined;
}

const NEWEST = 1_000;
const PAGE = 50;

/** The sessions that jobs were submitted for. */
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
      if (isEnded() || !(await looksDue(sessions, id))) continue;
      await jobs?.submit(id);
      due.push(id);
    }
    seen += page.length;
    after = page.at(-1);
    if (after === undefined) break;
  }
  return due;
}

/** One that went meanwhile, or that cannot be looked at, keeps nobody from the others. */
async function looksDue(sessions: OpenSessions, id: SessionId): Promise<boolean> {
  try {
    return await isJobDue(await sessions.look(id));
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.code === "closed") throw error;
    if (error.code === "session-not-found") return false;
    const text = `A session could not be looked at: ${error.message}`;
    sessions.context.emitter.emit("warning", { sessionId: id, text });
    return false;
  }
}
