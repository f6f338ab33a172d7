/** One message for the whole page. It stays on every screen until the user dismisses it. */
import { useSyncExternalStore } from "react";

let announcement = "";
const listeners = new Set<() => void>();

export function announce(text: string): void {
  announcement = text;
  for (const listener of listeners) listener();
}

export function dismissAnnouncement(): void {
  announce("");
}

/** Returns an empty string without an announcement. */
export function useAnnouncement(): string {
  return useSyncExternalStore(subscribe, () => announcement);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
