/**
 * Deleting with a way back: the conversation is hidden at once and deleted a while later, or when another one is or the
 * page is left for good. Until then nothing was done to it. One that others go on from is asked about before, and what
 * could not be deleted is there again and says why.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { isMissing, sayError } from "../api/errors.ts";
import { deleteSession, listForks } from "../api/sessions.ts";
import type { SessionLine } from "../api/values.ts";

const WAIT_MS = 8_000;

export interface Deletion {
  /** Hidden, and not deleted yet. */
  readonly waiting: SessionLine | undefined;
  /** Still there, because others go on from it, or for another reason. */
  readonly kept: Kept | undefined;
  readonly begin: (session: SessionLine) => void;
  readonly undo: () => void;
  /** Deletes the kept one with all that go on from it. */
  readonly withForks: () => void;
  readonly leave: () => void;
}

export interface Kept {
  readonly session: SessionLine;
  readonly hasForks: boolean;
  /** Empty where it is the others. */
  readonly reason: string;
}

interface Pending {
  readonly session: SessionLine;
  readonly timer: ReturnType<typeof setTimeout>;
}

export function useDeletion(onDone: () => void): Deletion {
  const [waiting, setWaiting] = useState<SessionLine | undefined>();
  const [kept, setKept] = useState<Kept | undefined>();
  const pending = useRef<Pending | undefined>(undefined);
  const done = useRef(onDone);
  done.current = onDone;
  const remove = useCallback(async (session: SessionLine, options: { readonly forks: boolean }) => {
    const failure = await tryDeletion(session, options);
    if (failure !== undefined) setKept(failure);
    done.current();
  }, []);
  const undo = useCallback(() => {
    clearTimeout(pending.current?.timer);
    pending.current = undefined;
    setWaiting(undefined);
  }, []);
  const finish = useCallback(() => {
    const session = pending.current?.session;
    undo();
    if (session !== undefined) void remove(session, { forks: false });
  }, [undo, remove]);
  const begin = useCallback(
    (session: SessionLine) => {
      finish();
      setKept(undefined);
      const own = { session, timer: setTimeout(finish, WAIT_MS) };
      pending.current = own;
      setWaiting(session);
      void findForks(session.id).then((hasForks) => {
        if (!hasForks || pending.current !== own) return;
        undo();
        setKept({ session, hasForks, reason: "" });
      });
    },
    [finish, undo],
  );
  const withForks = useCallback(() => {
    setKept(undefined);
    if (kept !== undefined) void remove(kept.session, { forks: true });
  }, [kept, remove]);
  const leave = useCallback(() => setKept(undefined), []);
  useEffect(() => {
    window.addEventListener("pagehide", finish);
    return () => window.removeEventListener("pagehide", finish);
  }, [finish]);
  return { waiting, kept, begin, undo, withForks, leave };
}

async function tryDeletion(session: SessionLine, options: { readonly forks: boolean }): Promise<Kept | undefined> {
  try {
    const isDeleted = await deleteSession(session.id, options);
    return isDeleted ? undefined : { session, hasForks: true, reason: "" };
  } catch (error) {
    // One that somebody else has deleted meanwhile is what was wanted.
    return isMissing(error) ? undefined : { session, hasForks: false, reason: sayError(error) };
  }
}

/** Where it cannot be had now, the deletion itself tells. */
async function findForks(id: string): Promise<boolean> {
  return (await listForks(id).catch(() => [])).length > 0;
}
