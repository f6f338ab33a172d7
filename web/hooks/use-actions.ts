/** Actions of the components on the screen, which the command palette lists by name. */
import { useEffect, useRef } from "react";

export interface Action {
  readonly name: string;
  /** Shortcut or slash command that does the same. */
  readonly hint?: string | undefined;
  readonly run: () => void;
}

const registered = new Map<string, () => readonly Action[]>();

/** Registers actions while the component is mounted. */
export function useActions(owner: string, actions: readonly Action[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    registered.set(owner, () => latest.current);
    return () => void registered.delete(owner);
  }, [owner]);
}

export function listActions(): readonly Action[] {
  return [...registered.values()].flatMap((list) => list());
}
