/** Events of the server: the events of one session, and a count of events that change the list of sessions. */
import { useEffect, useRef, useState } from "react";
import type { Fields } from "../../src/client/fields.ts";
import { listenToEvents } from "../api/shared-events.ts";
import { STREAM_START } from "../api/shared-stream.ts";

/** Events about the stream itself reach every session. */
const STREAM_EVENTS: readonly string[] = [STREAM_START, "missed"];

export function useEvents(sessionId: string, onEvent: (name: string, data: Fields) => void): void {
  const listener = useRef(onEvent);
  listener.current = onEvent;
  useEffect(
    () =>
      listenToEvents(({ name, data }) => {
        if (data.sessionId === sessionId || STREAM_EVENTS.includes(name)) listener.current(name, data);
      }),
    [sessionId],
  );
}

/** Minimum time between two reads of the list of sessions. */
const LIST_INTERVAL_MS = 2_000;

const LIST_EVENTS: readonly string[] = ["session-grown", "session-deleted", ...STREAM_EVENTS];

/** Returns a number that rises after changes to sessions other than the open one. */
export function useOtherSessions(currentId: string | undefined): number {
  const [count, setCount] = useState(0);
  const current = useRef(currentId);
  current.current = currentId;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listenToEvents(({ name, data }) => {
      if (!LIST_EVENTS.includes(name) || (name === "session-grown" && data.sessionId === current.current)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        setCount((before) => before + 1);
      }, LIST_INTERVAL_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return count;
}
