/** The goal of a compaction, and the functions that measure it. */
import type { View } from "../log/view.ts";
import type { Message, Part } from "../message/message.ts";
import type { PlanSettings } from "./plan-settings.ts";
import type { Floor } from "./proposal.ts";

export interface CompactionNeed {
  /** `soft`: worthwhile, so the tail stays unchanged. `hard`: the prompt is too large to be sent. */
  readonly urgency: "soft" | "hard";
  readonly limitTokens: number;
  readonly targetTokens: number;
  readonly settings: PlanSettings;
  readonly reason: string;
  /** At the depth limit of the chain: fold into the newest record without adding depth, or write no summary. */
  readonly atDepthCap?: "fold" | "truncate" | undefined;
  /** False if no summary may be requested. A hard need then drops messages without one. */
  readonly maySummarize: boolean;
  /** Whether the caller can leave out workspace content. It then gets `does-not-fit` and tries again. */
  readonly mayShed?: boolean | undefined;
  /** Messages that must not be pruned on their own. Folding them is allowed. */
  readonly isFrozen?: ((seq: number) => boolean) | undefined;
  readonly isPriced?: boolean | undefined;
  /** Number of messages in the tail, overriding the policy. Used by the second pass of a chain. */
  readonly tailMessages?: number | undefined;
  /** Allows folding the summary alone when there are no messages between it and the tail. */
  readonly isSecondPass?: boolean | undefined;
  /** Limits the summary to the room that the kept messages leave. */
  readonly isTight?: boolean | undefined;
  /** Counts the tokens of the whole prompt for this view, instructions and tools included. */
  readonly measure: (view: View) => number;
  /** Prepares `measure` for this view, and yields between steps. */
  readonly measureAhead?: ((view: View) => Generator<undefined, void>) | undefined;
  /** Converts calibrated tokens to tokens of the counter. */
  readonly uncalibrate: (tokens: number) => number;
  readonly count: (message: Message) => number;
  readonly countPart: (part: Part, message: Message) => number;
  /** Prepares `count` and `countPart` for this message, and yields between steps. */
  readonly countAhead: (message: Message) => Generator<undefined, void>;
  /** Lists the parts of the floor, for a view that cannot get smaller. */
  readonly describeFloor: (view: View) => Floor["parts"];
}
