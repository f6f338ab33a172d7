/** The numbers a policy gives to the planner. Ratios are of the budget. */
import type { TailMeasures } from "./find-tail.ts";

export interface PlanSettings {
  /** Off: nothing is compacted in the log; a prompt that would not fit is made smaller for that one request. */
  readonly enabled: boolean;
  /** History above this asks for a compaction when there is somebody to summarise; reported in any case. */
  readonly triggerTokens?: number | undefined;
  readonly triggerRatio: number;
  /** How small a compaction makes the prompt. */
  readonly targetRatio: number;
  readonly tail: TailMeasures & { readonly ratio?: number | undefined };
  readonly prune: PruneSettings;
  /** Pins may take this share of the budget. */
  readonly pinRatio: number;
}

/** Which parts may be pruned. A number that is absent is zero. */
export interface PruneSettings {
  /** `rolling-chat` has numbers of its own and asks for none of those below. */
  readonly rules?: "default" | "rolling-chat" | undefined;
  /** Results smaller than this stay. */
  readonly minimumTokens: number;
  readonly exemptTools: readonly string[];
  /** The newest results within this sum stay, also before the tail. */
  readonly protectTokens?: number | undefined;
  /** A batch that saves less is not worth a cache that has to be written again. */
  readonly minimumBatchTokens?: number | undefined;
  /** What the first and last lines that are left of a result may take. */
  readonly previewTokens?: number | undefined;
}
