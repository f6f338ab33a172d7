/** What happens to a session, as the server tells it. A lost connection is opened again and goes on where it was. */
import { useEffect, useRef } from "react";
import { followEvents } from "../api/chat.ts";
import { type Fields, readFields } from "../api/fields.ts";

export function useEvents(sessionId: string, onEvent: (name: string, data: Fields) => void): void {
  const listener = useRef(onEvent);
  listener.current = onEvent;
  useEffect(() => {
    const controller = new AbortController();
    void follow(sessionId, { signal: controller.signal, listener: (name, data) => listener.current(name, data) });
    return () => controller.abort();
  }, [sessionId]);
}

interface Following {
  readonly signal: AbortSignal;
  readonly listener: (name: string, data: Fields) => void;
}

async function follow(sessionId: string, { signal, listener }: Following): Promise<void> {
  try {
    for await (const { name, data } of followEvents(sessionId, signal)) listener(name, readFields(data));
  } catch {
    // A refusal that waiting does not change: the page works without being told, only later.
  }
}
