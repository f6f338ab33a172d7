/**
 * When nothing can be said, and why. A compaction keeps nobody from writing unless the policy wants it so; a window that
 * is really full does, because whatever was written could not be sent.
 */
import { useCallback, useState } from "react";
import type { Fields } from "../api/fields.ts";
import { loadRules } from "../api/settings.ts";
import { useLoaded } from "../hooks/use-loaded.ts";

export interface BlockedOptions {
  readonly version: number;
  /** What the server says of a window that is full; undefined while it is not. */
  readonly full: string | undefined;
}

export function useBlocked({ version, full }: BlockedOptions) {
  const [isCompacting, setIsCompacting] = useState(false);
  const { value: rules } = useLoaded(`rules ${version}`, loadRules);
  const heed = useCallback((name: string, data: Fields) => {
    if (data.phase === "manual") return;
    if (name === "compaction-start") setIsCompacting(true);
    if (name === "compaction" || name === "compaction-end" || name === "missed") setIsCompacting(false);
  }, []);
  return { rules, heed, blocked: sayBlocked(isCompacting && rules?.blocksAlways === true, full) };
}

function sayBlocked(isCompacting: boolean, full: string | undefined): string | undefined {
  if (isCompacting) return "You can write again when the compaction is done.";
  if (full === undefined) return undefined;
  return `The window is full. ${full} To make room, clear the context or unpin something: the log keeps everything.`;
}
