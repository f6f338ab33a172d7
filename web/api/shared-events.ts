/**
 * What happens to every conversation, for whoever on the page wants to hear of it. A window that nobody looks at lets go
 * of the stream, and when somebody comes back, says that something may have been missed.
 */
import { type SharedEvent, SharedStream } from "./shared-stream.ts";

/** Somebody who only looks away for a moment is not asked to come back. */
const HIDDEN_MS = 3_000;

type Listener = (event: SharedEvent) => void;

const listeners = new Set<Listener>();
let following: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let lastId = "";
let isAway = false;

/** Returns how to stop. */
export function hearEvents(listener: Listener): () => void {
  if (listeners.size === 0) document.addEventListener("visibilitychange", look);
  listeners.add(listener);
  look();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) leave();
  };
}

function look(): void {
  clearTimeout(timer);
  if (document.hidden) timer = setTimeout(goAway, HIDDEN_MS);
  else if (following === undefined) begin();
}

function begin(): void {
  following = new AbortController();
  // Where it is refused the page works without being told, only later.
  new SharedStream({ signal: following.signal, lastId, onEvent: take }).follow().catch(() => undefined);
  // What happened meanwhile may be more than the server remembers.
  if (isAway) take({ id: lastId, name: "missed", data: {} });
  isAway = false;
}

function take(event: SharedEvent): void {
  lastId = event.id;
  for (const listener of [...listeners]) listener(event);
}

function goAway(): void {
  isAway = true;
  end();
}

function end(): void {
  following?.abort();
  following = undefined;
}

/** Whoever comes next may be somebody else. */
function leave(): void {
  document.removeEventListener("visibilitychange", look);
  clearTimeout(timer);
  end();
  lastId = "";
  isAway = false;
}
