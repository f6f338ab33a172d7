/** Something that is said once and stays until it is read, whichever screen is shown then. */
import { useSyncExternalStore } from "react";

let announced = "";
const listeners = new Set<() => void>();

export function announce(text: string): void {
  announced = text;
  for (const listener of listeners) listener();
}

export function dropAnnounced(): void {
  announce("");
}

/** Empty where there is nothing. */
export function useAnnounced(): string {
  return useSyncExternalStore(follow, () => announced);
}

function follow(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
