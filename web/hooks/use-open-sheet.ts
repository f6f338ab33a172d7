/** Which sheet lies over the page: any part of it may open one, and one lies there at a time. */
import { useSyncExternalStore } from "react";

export type SheetName = "settings" | "palette" | "help";

let open: SheetName | undefined;
const listeners = new Set<() => void>();

export function openSheet(name: SheetName): void {
  show(name);
}

/** Whoever has gone closes itself alone: another one may lie there by the time that a dialog says so. */
export function closeSheet(name: SheetName): void {
  if (open === name) show(undefined);
}

function show(name: SheetName | undefined): void {
  open = name;
  for (const listener of listeners) listener();
}

export function useOpenSheet(): SheetName | undefined {
  return useSyncExternalStore(follow, () => open);
}

function follow(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
