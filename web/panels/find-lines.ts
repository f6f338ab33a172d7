/** Where a compaction is due in a window, and how small it makes a prompt; neither where there is no such line. */
import type { CompactionState, View } from "../api/values.ts";

export interface Lines {
  readonly trigger: number | undefined;
  readonly target: number | undefined;
}

export function findLines(
  { windowTokens, limitTokens }: Pick<View, "windowTokens" | "limitTokens">,
  compaction: CompactionState | undefined,
): Lines {
  if (compaction?.isEnabled !== true) return { trigger: undefined, target: undefined };
  const { triggerTokens, targetTokens } = compaction;
  return {
    trigger: triggerTokens > 0 && triggerTokens <= windowTokens ? triggerTokens : undefined,
    target: targetTokens > 0 && targetTokens < limitTokens ? targetTokens : undefined,
  };
}
