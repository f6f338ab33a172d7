/** What somebody said and the server does not have. Whoever leaves finds it where it was written. */
import type { UIMessage } from "ai";
import { useEffect, useMemo, useRef } from "react";
import { giveBack } from "../chat/drafts.ts";
import { pendingOf, type Turn } from "../chat/use-turn.ts";
import type { LogWindow } from "../hooks/use-log.ts";

export interface UnsentOptions {
  readonly sessionId: string;
  readonly turn: Turn;
  readonly log: LogWindow;
}

export function useUnsent({ sessionId, turn, log }: UnsentOptions): readonly UIMessage[] {
  const { messages, isRunning, isSettled, error } = turn;
  const { items, holds } = log;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was read changes what the log is known to hold.
  const unsent = useMemo(() => {
    if (isRunning || (!isSettled && error === undefined)) return [];
    return messages.filter(({ id, role }) => role === "user" && !holds(id));
  }, [messages, items, holds, isRunning, isSettled, error]);
  const latest = useRef(unsent);
  latest.current = unsent;
  useEffect(() => {
    const leave = () => {
      const { current } = latest;
      latest.current = [];
      if (current.length > 0) giveBack(sessionId, current.map(pendingOf));
    };
    window.addEventListener("pagehide", leave);
    return () => {
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [sessionId]);
  return unsent;
}
