/** What is under way and not in the log yet: the log has taken over what it holds. */
import { useMemo } from "react";
import type { ShownMessage } from "../api/values.ts";
import { showLive } from "../chat/show-live.ts";
import type { Turn } from "../chat/use-turn.ts";
import type { LogWindow } from "../hooks/use-log.ts";

export function useLive(messages: Turn["messages"], log: LogWindow): readonly ShownMessage[] {
  return useMemo(() => {
    const known = new Set(log.items.flatMap((item) => (item.type === "message" ? [item.message.id] : [])));
    return messages.filter(({ id }) => !known.has(id) && !known.has(`${id}#0`)).map(showLive);
  }, [messages, log.items]);
}
