/**
 * Events of all sessions, for every component that listens. A hidden window closes the stream; when it is visible
 * again, listeners get a `missed` event.
 */
import { type SharedEvent, SharedStream } from "./shared-stream.ts";

/** Keeps the stream open if the user switches to another window only briefly. */
const HIDDEN_MS = 3_000;

type Listener = (event: SharedEvent) => void;

const listeners = new Set<Listener>();
let stream: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let lastId = "";
let isAway = false;

/** Returns a function that stops listening. */
export function listenToEvents(listener: Listener): () => void {
  if (listeners.size === 0) document.addEventListener("visibilitychange", checkVisibility);
  listeners.add(listener);
  checkVisibility();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) reset();
  };
}

function checkVisibility(): void {
  clearTimeout(timer);
  if (document.hidden) timer = setTimeout(closeWhileHidden, HIDDEN_MS);
  else if (stream === undefined) open();
}

function open(): void {
  stream = new AbortController();
  // Without the stream the page still polls.
  new SharedStream({ signal: stream.signal, lastId, onEvent: emit }).follow().catch(() => undefined);
  // The server may not remember everything that happened in the meantime.
  if (isAway) emit({ id: lastId, name: "missed", data: {} });
  isAway = false;
}

function emit(event: SharedEvent): void {
  lastId = event.id;
  for (const listener of [...listeners]) listener(event);
}

function closeWhileHidden(): void {
  isAway = true;
  close();
}

function close(): void {
  stream?.abort();
  stream = undefined;
}

/** Removes the last id too: the next listener may belong to another user. */
function reset(): void {
  document.removeEventListener("visibilitychange", checkVisibility);
  clearTimeout(timer);
  close();
  lastId = "";
  isAway = false;
}
