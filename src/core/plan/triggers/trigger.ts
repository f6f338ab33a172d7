/**
 * When to act. A trigger is a plain value with its own numbers, so that a policy can be written down, stored and shown;
 * any number of them may stand side by side, also two of one type. What they look at is `trigger-facts.ts`.
 *
 * Nothing here decides: the operators are in `check-trigger.ts`.
 */

/** More messages than this, the summary not counted. */
export interface MessagesTrigger {
  readonly type: "messages";
  readonly maxMessages: number;
}

/** User and assistant messages with words that no summary stands for. Before the first summary more than `threshold`. */
export interface UnsummarisedTrigger {
  readonly type: "unsummarised";
  readonly threshold: number;
  /** `unsummarized`: more than `threshold` of them; `beyondTail`: `threshold` or more of them before the tail. */
  readonly countMode: "unsummarized" | "beyondTail";
  readonly tailMessages: number;
}

/** More tokens of conversation than this. */
export interface TokensTrigger {
  readonly type: "tokens";
  readonly maxTokens: number;
}

/** What keeps a chain of summaries from growing faster or longer than it should. */
export interface ChainGuards {
  /** Fewer messages than this are left alone; the summary counts as one. */
  readonly minMessages: number;
  /** Messages that must have come since the last compaction. */
  readonly cooldownMessages: number;
  /** Records that a chain may have. */
  readonly maxSummaryChainDepth: number;
  /** At the cap: one more fold into the newest record, nothing, or dropping without a summary. */
  readonly onDepthCap: "fold" | "stop" | "truncate";
}

/** From this share on, armed and after a cooldown. From `EMERGENCY_RATIO` on no guard is asked. */
export interface RatioTrigger extends ChainGuards {
  readonly type: "ratio";
  /** The whole prompt of the window, or the conversation of the budget. */
  readonly of: "window" | "budget";
  readonly triggerRatio: number;
  /** Below this it is armed again. Less than `triggerRatio`. */
  readonly resetRatio: number;
  /** So many messages arm it too, whatever the ratio; `cooldownMessages` when not given, and never fewer than those. */
  readonly rearmAfterMessages?: number | undefined;
}

export const EMERGENCY_RATIO = 1;

/** Every so many messages, under the same guards as a ratio. */
export interface RefreshTrigger extends ChainGuards {
  readonly type: "refresh";
  readonly everyMessages: number;
}

/** Nothing was asked for longer than the provider keeps a prefix: changing the past costs nothing now. */
export interface ColdCacheTrigger {
  readonly type: "cold-cache";
  /** The model's own time when not given. */
  readonly ttlMs?: number | undefined;
  /** Only from this share of the budget on; at any size when not given. */
  readonly fromRatio?: number | undefined;
}

/** By our estimate the prompt is larger than it may be. */
export interface OverflowTrigger {
  readonly type: "overflow";
}

/** The provider said that the prompt is too large. */
export interface RefusalTrigger {
  readonly type: "refusal";
}

/** Somebody asked for it. */
export interface ManualTrigger {
  readonly type: "manual";
}

export type Trigger =
  | MessagesTrigger
  | UnsummarisedTrigger
  | TokensTrigger
  | RatioTrigger
  | RefreshTrigger
  | ColdCacheTrigger
  | OverflowTrigger
  | RefusalTrigger
  | ManualTrigger;

export type TriggerType = Trigger["type"];

/** These act whatever the policy says, also where compaction is switched off or held back. */
export const STANDING_TRIGGERS: readonly Trigger[] = [{ type: "overflow" }, { type: "refusal" }, { type: "manual" }];

// Numbers of one trigger that contradict each other. Ranges of single numbers are checked where settings are read.
export interface TriggerFault {
  readonly key: string;
  readonly value: number;
  readonly allowed: string;
}

export function findTriggerFault(trigger: Trigger): TriggerFault | undefined {
  if (trigger.type !== "ratio") return undefined;
  const { triggerRatio, resetRatio } = trigger;
  if (triggerRatio > EMERGENCY_RATIO) {
    return { key: "triggerRatio", value: triggerRatio, allowed: `at most ${EMERGENCY_RATIO}` };
  }
  if (resetRatio < triggerRatio) return undefined;
  return { key: "resetRatio", value: resetRatio, allowed: `less than the triggerRatio, ${triggerRatio}` };
}
