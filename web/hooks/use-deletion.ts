/**
 * Deletes sessions with an undo period. A session is hidden at once and deleted eight seconds later, or earlier if
 * another one is deleted or the page is closed. A session with forks needs a confirmation first. If a deletion fails,
 * the session is shown again with the reason.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { describeError, isNotFoundError } from "../api/errors.ts";
import { deleteSession, listForks } from "../api/sessions.ts";
import type { Session } from "../api/values.ts";

const WAIT_MS = 8_000;

export interface Deletion {
  /** Hidden, but not deleted yet. */
  readonly pending: Session | undefined;
  /** The deletion that failed: the session has forks, or the server reported an error. */
  readonly refusal: DeletionFailure | undefined;
  readonly begin: (session: Session) => void;
  readonly undo: () => void;
  readonly deleteWithForks: () => void;
  readonly cancel: () => void;
}

export interface DeletionFailure {
  readonly session: Session;
  readonly hasForks: boolean;
  /** Empty if the session has forks. */
  readonly reason: string;
}

interface PendingDeletion {
  readonly session: Session;
  readonly timer: ReturnType<typeof setTimeout>;
}

export function useDeletion(onDone: () => void): Deletion {
  const [pending, setPending] = useState<Session | undefined>();
  const [refusal, setRefusal] = useState<DeletionFailure | undefined>();
  const scheduled = useRef<PendingDeletion | undefined>(undefined);
  const latest = useRef(onDone);
  latest.current = onDone;
  const remove = useCallback(async (session: Session, options: { readonly forks: boolean }) => {
    const failure = await tryDeletion(session, options);
    if (failure !== undefined) setRefusal(failure);
    latest.current();
  }, []);
  const undo = useCallback(() => {
    clearTimeout(scheduled.current?.timer);
    scheduled.current = undefined;
    setPending(undefined);
  }, []);
  const finish = useCallback(() => {
    const session = scheduled.current?.session;
    undo();
    if (session !== undefined) void remove(session, { forks: false });
  }, [undo, remove]);
  const begin = useCallback(
    (session: Session) => {
      finish();
      setRefusal(undefined);
      const scheduling = { session, timer: setTimeout(finish, WAIT_MS) };
      scheduled.current = scheduling;
      setPending(session);
      void findForks(session.id).then((hasForks) => {
        if (!hasForks || scheduled.current !== scheduling) return;
        undo();
        setRefusal({ session, hasForks, reason: "" });
      });
    },
    [finish, undo],
  );
  const deleteWithForks = useCallback(() => {
    setRefusal(undefined);
    if (refusal !== undefined) void remove(refusal.session, { forks: true });
  }, [refusal, remove]);
  const cancel = useCallback(() => setRefusal(undefined), []);
  useEffect(() => {
    window.addEventListener("pagehide", finish);
    return () => window.removeEventListener("pagehide", finish);
  }, [finish]);
  return { pending, refusal, begin, undo, deleteWithForks, cancel };
}

async function tryDeletion(
  session: Session,
  options: { readonly forks: boolean },
): Promise<DeletionFailure | undefined> {
  try {
    const isDeleted = await deleteSession(session.id, options);
    return isDeleted ? undefined : { session, hasForks: true, reason: "" };
  } catch (error) {
    // Another window has already deleted it.
    return isNotFoundError(error) ? undefined : { session, hasForks: false, reason: describeError(error) };
  }
}

/** If this fails, the deletion itself reports forks. */
async function findForks(id: string): Promise<boolean> {
  return (await listForks(id).catch(() => [])).length > 0;
}
