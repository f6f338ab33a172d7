/** What is under way and not in the log yet: the log has taken over what it holds. */
import { useMemo } from "react";
import type { ShownMessage } from "../api/values.ts";
import { showLive } from "../chat/show-live.ts";
import type { Turn } from "../chat/use-turn.ts";
import type { LogWindow } from "../hooks/use-log.ts";

export function useLive({ messages, isFollowing, isRunning }: Turn, log: LogWindow): readonly ShownMessage[] {
  return useMemo(() => {
    const known = new Set(log.items.flatMap((item) => (item.type === "message" ? [item.message.id] : [])));
    const live = messages.filter(({ id }) => !known.has(id) && !known.has(`${id}#0`)).map(showLive);
    if (!isFollowing || !isRunning) return live;
    // An answer to somebody else stands before what could not be said meanwhile.
    return [...live.filter(({ role }) => role !== "user"), ...live.filter(({ role }) => role === "user")];
  }, [messages, log.items, isFollowing, isRunning]);
}
