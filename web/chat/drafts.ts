/**
 * What somebody is writing, for each conversation, kept by the tab until it is sent: opening another place, saying
 * something anew or loading the page again loses nothing. What could not be sent comes back here.
 */
import { type Dispatch, type SetStateAction, useCallback, useState, useSyncExternalStore } from "react";

const drafts = new Map<string, string>();
const listeners = new Set<() => void>();

const keyOf = (sessionId: string) => `draft ${sessionId}`;

export function readDraft(sessionId: string): string {
  const known = drafts.get(sessionId);
  if (known !== undefined) return known;
  const stored = readStored(sessionId);
  drafts.set(sessionId, stored);
  return stored;
}

export function keepDraft(sessionId: string, text: string): void {
  drafts.set(sessionId, text);
  store(sessionId, text);
  for (const listener of listeners) listener();
}

/** Before whatever is being written now. */
export function giveBack(sessionId: string, texts: readonly string[]): void {
  const written = [...texts, readDraft(sessionId)].filter((text) => text !== "");
  keepDraft(sessionId, written.join("\n\n"));
}

/** The text of a composer. What is said anew is no draft, and leaves the draft alone. */
export function useDraft(sessionId: string, edited: string | undefined): [string, Dispatch<SetStateAction<string>>] {
  const own = useState(edited ?? "");
  const draft = useSyncExternalStore(follow, () => readDraft(sessionId));
  const write = useCallback(
    (next: SetStateAction<string>) =>
      keepDraft(sessionId, typeof next === "function" ? next(readDraft(sessionId)) : next),
    [sessionId],
  );
  return edited === undefined ? [draft, write] : own;
}

function follow(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A browser may allow no storage, or have no room: the page itself still knows the draft. */
function readStored(sessionId: string): string {
  try {
    return sessionStorage.getItem(keyOf(sessionId)) ?? "";
  } catch {
    return "";
  }
}

function store(sessionId: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(keyOf(sessionId));
    else sessionStorage.setItem(keyOf(sessionId), text);
  } catch {
    // As above.
  }
}
