/** What happens to a session, as the server tells it, and what happens to the stream itself. */
import { useEffect, useRef, useState } from "react";
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

/** Others may talk without a pause; the list is read so often at most. */
const REST_MS = 2_000;

const NEWS: readonly string[] = ["session-grown", "session-deleted", "missed", STREAM_START];

export function useNews(currentId: string | undefined): number {
  const [count, setCount] = useState(0);
  const current = useRef(currentId);
  current.current = currentId;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = hearEvents(({ name, data }) => {
      if (!NEWS.includes(name) || (name === "session-grown" && data.sessionId === current.current)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        setCount((before) => before + 1);
      }, REST_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return count;
}
