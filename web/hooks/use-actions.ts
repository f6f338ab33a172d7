/** What can be done just now, told by whatever is on the screen, for whoever looks for it by name. */
import { useEffect, useRef } from "react";

export interface Action {
  readonly name: string;
  /** Where it is also to be had: a key, or what is written for it. */
  readonly hint?: string | undefined;
  readonly run: () => void;
}

const offered = new Map<string, () => readonly Action[]>();

/** While it is on the screen. */
export function useActions(owner: string, actions: readonly Action[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    offered.set(owner, () => latest.current);
    return () => void offered.delete(owner);
  }, [owner]);
}

export function listActions(): readonly Action[] {
  return [...offered.values()].flatMap((list) => list());
}
