/** Conditions that start a compaction: plain values, so that a policy can be stored. `check-trigger.ts` checks them. */

/** Fires above this number of messages, not counting the summary. */
export interface MessagesTrigger {
  readonly type: "messages";
  readonly maxMessages: number;
}

/** Counts messages with text that no summary covers. Before the first summary, fires above `threshold`. */
export interface UnsummarizedTrigger {
  readonly type: "unsummarised";
  readonly threshold: number;
  /** `unsummarized`: fires above `threshold` of them. `beyondTail`: fires at `threshold` of them before the tail. */
  readonly countMode: "unsummarized" | "beyondTail";
  readonly tailMessages: number;
}

/** Fires above this number of conversation tokens. */
export interface TokensTrigger {
  readonly type: "tokens";
  readonly maxTokens: number;
}

/** Guards that keep a chain of summaries from growing too fast or too long. */
export interface ChainGuards {
  /** The trigger is held below this number of messages. The summary counts as one. */
  readonly minMessages: number;
  /** Messages that must have arrived since the last compaction. */
  readonly cooldownMessages: number;
  readonly maxSummaryChainDepth: number;
  /** At the depth limit: fold into the newest record, do nothing, or drop messages without a summary. */
  readonly onDepthCap: "fold" | "stop" | "truncate";
}

/** Fires at `triggerRatio`, if armed and after a cooldown. At `EMERGENCY_RATIO`, guards do not apply. */
export interface RatioTrigger extends ChainGuards {
  readonly type: "ratio";
  /** The whole prompt relative to the window, or the conversation relative to the budget. */
  readonly of: "window" | "budget";
  readonly triggerRatio: number;
  /** Below this ratio the trigger arms again. Must be less than `triggerRatio`. */
  readonly resetRatio: number;
  /** Also arms after this many messages. Defaults to `cooldownMessages`, and is never less. */
  readonly rearmAfterMessages?: number | undefined;
}

export const EMERGENCY_RATIO = 1;

/** Fires every `everyMessages` messages, with the same guards as a ratio trigger. */
export interface RefreshTrigger extends ChainGuards {
  readonly type: "refresh";
  readonly everyMessages: number;
}

/** Fires if the provider no longer has the prefix in its cache: changing the past then costs nothing. */
export interface ColdCacheTrigger {
  readonly type: "cold-cache";
  /** Defaults to the time for which the model's provider keeps a prefix. */
  readonly ttlMs?: number | undefined;
  /** The share of the budget at which the trigger starts to apply. If absent, it applies at any size. */
  readonly fromRatio?: number | undefined;
}

export type Trigger =
  | MessagesTrigger
  | UnsummarizedTrigger
  | TokensTrigger
  | RatioTrigger
  | RefreshTrigger
  | ColdCacheTrigger
  /** The prompt is larger than the limit, by our own count. */
  | { readonly type: "overflow" }
  /** The provider refused the prompt as too large. */
  | { readonly type: "refusal" }
  | { readonly type: "manual" };

export type TriggerType = Trigger["type"];

/** Triggers that fire even if compaction is switched off or held back. */
export const BUILT_IN_TRIGGERS: readonly Trigger[] = [{ type: "overflow" }, { type: "refusal" }, { type: "manual" }];

/** Numbers of one trigger that contradict each other. Ranges of single numbers are checked when settings are read. */
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
