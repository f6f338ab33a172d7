/** What a compaction must reach, and the measures by which it is judged. */
import type { View } from "../log/view.ts";
import type { Message, Part } from "../message/message.ts";
import type { PlanSettings } from "./plan-settings.ts";
import type { Floor } from "./proposal.ts";

export interface CompactionNeed {
  /** What the whole prompt may take. */
  readonly limitTokens: number;
  /** How small it should get. */
  readonly targetTokens: number;
  readonly settings: PlanSettings;
  readonly reason: string;
  /** Tokens of the whole prompt that shows this view, instructions and tools included. */
  readonly measure: (view: View) => number;
  readonly count: (message: Message) => number;
  readonly countPart: (part: Part, message: Message) => number;
  /** Makes `count` and `countPart` cheap for this message, resting in between. */
  readonly countAhead: (message: Message) => Generator<undefined, void>;
  /** What the floor is made of, for a view that is as small as it gets. */
  readonly describeFloor: (view: View) => Floor["parts"];
}
