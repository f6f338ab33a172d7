/** What a compaction must reach, and the measures by which it is judged. */
import type { View } from "../log/view.ts";
import type { Message, Part } from "../message/message.ts";
import type { PlanSettings } from "./plan-settings.ts";
import type { Floor } from "./proposal.ts";

export interface CompactionNeed {
  /** `soft`: worth doing, so nothing that was said last is touched. `hard`: it cannot be sent as it is. */
  readonly need: "soft" | "hard";
  /** What the whole prompt may take. */
  readonly limitTokens: number;
  /** How small it should get. */
  readonly targetTokens: number;
  readonly settings: PlanSettings;
  readonly reason: string;
  /** At the cap of the chain: the newest record is folded into one of the same depth, or no summary is written. */
  readonly atDepthCap?: "fold" | "truncate" | undefined;
  /** False where nobody may be asked: what has to go then goes without a summary. */
  readonly mayAsk: boolean;
  /** Something beside the conversation can be left out: a prompt that is too large even so is told to be, and asked for again. */
  readonly mayShed?: boolean | undefined;
  /** Messages that must not be pruned by themselves; what is folded is another matter. */
  readonly isFrozen?: ((seq: number) => boolean) | undefined;
  /** Whether the words of a summary have to be paid for. */
  readonly isPriced?: boolean | undefined;
  /** A tail of so many messages instead of the policy's: the second pass of a chain. */
  readonly tailMessages?: number | undefined;
  /** The summary alone is folded again where nothing stands between it and the tail. */
  readonly isSecondPass?: boolean | undefined;
  /** A summary may take only what is left beside everything that stays. */
  readonly isTight?: boolean | undefined;
  /** Tokens of the whole prompt that shows this view, instructions and tools included. */
  readonly measure: (view: View) => number;
  /** Makes `measure` cheap for this view, resting in between. */
  readonly measureAhead?: ((view: View) => Generator<undefined, void>) | undefined;
  /** From a share of the prompt to tokens by the counter alone. */
  readonly uncalibrate: (tokens: number) => number;
  readonly count: (message: Message) => number;
  readonly countPart: (part: Part, message: Message) => number;
  /** Makes `count` and `countPart` cheap for this message, resting in between. */
  readonly countAhead: (message: Message) => Generator<undefined, void>;
  /** What the floor is made of, for a view that is as small as it gets. */
  readonly describeFloor: (view: View) => Floor["parts"];
}
