/** Submits a job for each of the newest sessions that has pending work, which is unknown after a restart. */
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import type { SessionSummary } from "../../ports/store.ts";
import { isJobDue } from "../compaction/run-job.ts";
import { listSessions } from "../session-list/list-sessions.ts";
import type { OpenSessions } from "./open-sessions.ts";

export interface WorkOptions {
  /** Checks once, runs what is due, and ends. */
  readonly once?: boolean | undefined;
  /** Number of newest sessions to check; default a thousand. */
  readonly newestSessions?: number | undefined;
  /** Time between two checks; default a minute. */
  readonly everyMs?: number | undefined;
  /** Ends the work: running jobs finish, no others start. */
  readonly signal?: AbortSignal | undefined;
}

const NEWEST = 1_000;
const PAGE = 50;

/** Returns the sessions that jobs were submitted for. */
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

/** Returns false for a session that was deleted meanwhile or cannot be read. */
async function isSessionDue(sessions: OpenSessions, id: SessionId): Promise<boolean> {
  try {
    return await isJobDue(await sessions.look(id));
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.code === "closed") throw error;
    if (error.code === "session-not-found") return false;
    const text = `A session could not be checked: ${error.message}`;
    sessions.context.emitter.emit("warning", { sessionId: id, text });
    return false;
  }
}
