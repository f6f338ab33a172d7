/** The dialog that is open. Any component can open one; at most one is open. */
import { useSyncExternalStore } from "react";

export type SheetName = "settings" | "palette" | "help";

export interface OpenSheet {
  readonly name: SheetName;
  /** Preset to show in the settings. */
  readonly preset?: string | undefined;
}

let open: OpenSheet | undefined;
const listeners = new Set<() => void>();

export function openSheet(name: SheetName, preset?: string): void {
  // The same dialog stays open unchanged.
  if (open?.name !== name || open.preset !== preset) show({ name, preset });
}

/** Closes only this dialog: another one can be open when the browser reports that this one closed. */
export function closeSheet(name: SheetName): void {
  if (open?.name === name) show(undefined);
}

function show(sheet: OpenSheet | undefined): void {
  open = sheet;
  for (const listener of listeners) listener();
}

export function useOpenSheet(): OpenSheet | undefined {
  return useSyncExternalStore(subscribe, () => open);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
