/** Notifies components on the screen that the user has saved another policy. */
import { useEffect } from "react";

const listeners = new Set<() => unknown>();

export function announcePolicyChange(): void {
  for (const listener of listeners) listener();
}

/** Subscribes again whenever the function changes, so pass a stable one. */
export function usePolicyChange(onChange: () => unknown): void {
  useEffect(() => {
    listeners.add(onChange);
    return () => void listeners.delete(onChange);
  }, [onChange]);
}
