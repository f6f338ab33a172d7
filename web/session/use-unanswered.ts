/**
 * What was asked last and has no answer. Somebody may be answering it just now, because it was asked in another tab:
 * that is looked for first, and listened to.
 */
import { useEffect, useRef, useState } from "react";
import type { ShownMessage } from "../api/values.ts";
import type { Turn } from "../chat/use-turn.ts";
import type { LogWindow } from "../hooks/use-log.ts";

export interface Unanswered {
  readonly message: ShownMessage | undefined;
  /** Nobody is answering it. */
  readonly isLost: boolean;
}

export function useUnanswered(turn: Turn, { items, hasNewer }: LogWindow): Unanswered {
  const { isRunning, error, isBusyElsewhere, isSettled } = turn;
  const last = hasNewer ? undefined : items.findLast((item) => item.type === "message");
  const message = last?.type === "message" && last.message.role === "user" ? last.message : undefined;
  const [lookedFor, setLookedFor] = useState<string | undefined>();
  const looking = useRef<string | undefined>(undefined);
  const follow = useRef(turn.follow);
  follow.current = turn.follow;
  const id = message?.id;
  const isUnknown = id !== undefined && id !== lookedFor && error === undefined && isSettled;
  const mayBeAnswered = !isRunning && (isBusyElsewhere || isUnknown);
  useEffect(() => {
    // Once for each, except where the server says that there is one.
    if (!mayBeAnswered || (looking.current === id && !isBusyElsewhere)) return;
    looking.current = id;
    void follow.current().finally(() => setLookedFor(id));
  }, [mayBeAnswered, isBusyElsewhere, id]);
  return { message, isLost: id !== undefined && id === lookedFor && !isRunning && isSettled };
}
