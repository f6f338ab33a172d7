/**
 * Hysteresis. A ratio trigger that has led to a compaction is not armed until the prompt was once smaller than the
 * reset ratio, or enough messages came. Being armed is not enough to act: the cooldown is asked in any case.
 */
import type { RatioTrigger } from "./trigger.ts";
import type { SizeFacts, TriggerFacts } from "./trigger-facts.ts";

export interface ArmedState {
  readonly armed: boolean;
}

export interface ArmedOptions {
  readonly trigger: RatioTrigger;
  readonly facts: SizeFacts & Pick<TriggerFacts, "messagesSinceCompaction">;
  /** Whether a compaction has just been written. */
  readonly hasCompacted: boolean;
}

/** Called with every estimate, and after every compaction with the facts of the view that it left. */
export function updateArmed(state: ArmedState, { trigger, facts, hasCompacted }: ArmedOptions): ArmedState {
  const isBelow = readRatio(trigger, facts) < trigger.resetRatio;
  const isLater = !hasCompacted && isEnough(trigger, facts.messagesSinceCompaction);
  return { armed: isBelow || isLater || (state.armed && !hasCompacted) };
}

function isEnough(trigger: RatioTrigger, messages: number | undefined): boolean {
  return messages === undefined || messages >= rearmMessages(trigger);
}

export function rearmMessages({ rearmAfterMessages = 0, cooldownMessages }: RatioTrigger): number {
  return Math.max(rearmAfterMessages, cooldownMessages);
}

/** How full it is, by the measure that the trigger names. Never NaN: nothing to fill is full. */
export function readRatio({ of }: Pick<RatioTrigger, "of">, facts: SizeFacts): number {
  if (of === "window") return facts.promptTokens / Math.max(1, facts.windowTokens);
  return facts.conversationTokens / Math.max(1, facts.budgetTokens);
}
