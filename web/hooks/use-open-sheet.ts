/** Which sheet lies over the page: any part of it may open one, and one lies there at a time. */
import { useSyncExternalStore } from "react";

export type SheetName = "settings" | "palette" | "help";

export interface OpenSheet {
  readonly name: SheetName;
  /** What somebody wants to see in it. */
  readonly wished?: string | undefined;
}

let open: OpenSheet | undefined;
const listeners = new Set<() => void>();

export function openSheet(name: SheetName, wished?: string): void {
  // What lies there already stays as it is.
  if (open?.name !== name || open.wished !== wished) show({ name, wished });
}

/** Whoever has gone closes itself alone: another one may lie there by the time that a dialog says so. */
export function closeSheet(name: SheetName): void {
  if (open?.name === name) show(undefined);
}

function show(sheet: OpenSheet | undefined): void {
  open = sheet;
  for (const listener of listeners) listener();
}

export function useOpenSheet(): OpenSheet | undefined {
  return useSyncExternalStore(follow, () => open);
}

function follow(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
