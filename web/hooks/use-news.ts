/**
 * Counts what happens to conversations other than the one on the screen, for whoever shows a list of them, and the times
 * at which something may have happened unheard.
 */
import { useEffect, useRef, useState } from "react";
import { hearEvents } from "../api/shared-events.ts";
import { STREAM_START } from "../api/shared-stream.ts";

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
