/** Tells what is on the screen that another policy holds, which somebody has kept in the settings over it. */
import { useEffect } from "react";

const followers = new Set<() => unknown>();

export function tellPolicyChange(): void {
  for (const follow of followers) follow();
}

/** The same function each time, or it is followed anew. */
export function usePolicyChange(onChange: () => unknown): void {
  useEffect(() => {
    followers.add(onChange);
    return () => void followers.delete(onChange);
  }, [onChange]);
}
