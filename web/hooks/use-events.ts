/**
 * What happens to a session, as the server tells it. A lost connection is opened again and goes on where it was. A page
 * that nobody looks at lets go of its own: a browser has six for one server, and others need them.
 */
import { useEffect, useRef } from "react";
import { type ClientEvent, followEvents } from "../api/chat.ts";
import { type Fields, readFields } from "../api/fields.ts";

/** Somebody who only looks away for a moment is not asked to come back. */
const HIDDEN_MS = 3_000;

export function useEvents(sessionId: string, onEvent: (name: string, data: Fields) => void): void {
  const listener = useRef(onEvent);
  listener.current = onEvent;
  useEffect(() => {
    let [controller, timer]: [AbortController | undefined, ReturnType<typeof setTimeout> | undefined] = [
      undefined,
      undefined,
    ];
    let lastId = "";
    const begin = () => {
      controller = new AbortController();
      void follow(sessionId, {
        signal: controller.signal,
        lastId,
        listener: ({ id, name, data }) => {
          lastId = id;
          listener.current(name, readFields(data));
        },
      });
    };
    const end = () => {
      controller?.abort();
      controller = undefined;
    };
    const look = () => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(end, HIDDEN_MS);
      else if (controller === undefined) {
        begin();
        // What happened meanwhile may be more than the server remembers.
        listener.current("missed", {});
      }
    };
    if (!document.hidden) begin();
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
      end();
    };
  }, [sessionId]);
}

interface Following {
  readonly signal: AbortSignal;
  /** Goes on after it; empty for what comes from now on. */
  readonly lastId: string;
  readonly listener: (event: ClientEvent) => void;
}

async function follow(sessionId: string, { listener, ...options }: Following): Promise<void> {
  try {
    for await (const event of followEvents(sessionId, options)) listener(event);
  } catch {
    // A refusal that waiting does not change: the page works without being told, only later.
  }
}
