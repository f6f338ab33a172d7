/** What happens to a session, as the server tells it, and what happens to the stream itself. */
import { useEffect, useRef } from "react";
import type { Fields } from "../api/fields.ts";
import { hearEvents } from "../api/shared-events.ts";
import { STREAM_START } from "../api/shared-stream.ts";

/** They concern every session. */
const OF_THE_STREAM: readonly string[] = [STREAM_START, "missed"];

export function useEvents(sessionId: string, onEvent: (name: string, data: Fields) => void): void {
  const listener = useRef(onEvent);
  listener.current = onEvent;
  useEffect(
    () =>
      hearEvents(({ name, data }) => {
        if (data.sessionId === sessionId || OF_THE_STREAM.includes(name)) listener.current(name, data);
      }),
    [sessionId],
  );
}
