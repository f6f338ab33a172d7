/**
 * Deleting with a way back: the conversation is hidden at once and deleted a while later, or when another one is or the
 * page is left for good. Until then nothing was done to it.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { deleteSession } from "../api/sessions.ts";
import type { SessionLine } from "../api/values.ts";

const WAIT_MS = 8_000;

export interface Deletion {
  readonly waiting: SessionLine | undefined;
  readonly begin: (session: SessionLine) => void;
  readonly undo: () => void;
}

export function useDeletion(onDone: () => void): Deletion {
  const [waiting, setWaiting] = useState<SessionLine | undefined>();
  const pending = useRef<{ readonly id: string; readonly timer: ReturnType<typeof setTimeout> } | undefined>(undefined);
  const done = useRef(onDone);
  done.current = onDone;
  const finish = useCallback(() => {
    const { current } = pending;
    if (current === undefined) return;
    clearTimeout(current.timer);
    pending.current = undefined;
    setWaiting(undefined);
    // One that somebody else has deleted meanwhile is what was wanted.
    void deleteSession(current.id)
      .catch(() => undefined)
      .then(() => done.current());
  }, []);
  const begin = useCallback(
    (session: SessionLine) => {
      finish();
      pending.current = { id: session.id, timer: setTimeout(finish, WAIT_MS) };
      setWaiting(session);
    },
    [finish],
  );
  const undo = useCallback(() => {
    clearTimeout(pending.current?.timer);
    pending.current = undefined;
    setWaiting(undefined);
  }, []);
  useEffect(() => {
    window.addEventListener("pagehide", finish);
    return () => window.removeEventListener("pagehide", finish);
  }, [finish]);
  return { waiting, begin, undo };
}
