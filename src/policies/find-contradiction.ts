/** Finds settings that are valid one by one and contradict each other. */
import { findTriggerFault, type Trigger } from "../core/plan/triggers/trigger.ts";
import type { PolicySettings } from "./policy-input.ts";

export interface Contradiction {
  readonly key: string;
  readonly value: unknown;
  readonly allowed: string;
}

export function findContradiction(settings: PolicySettings): Contradiction | undefined {
  return findRatioFault(settings) ?? findTriggersFault(settings.triggers) ?? findVisibleFault(settings);
}

function findRatioFault({ triggerRatio, targetRatio, background }: PolicySettings): Contradiction | undefined {
  if (targetRatio > triggerRatio) {
    return { key: "targetRatio", value: targetRatio, allowed: `at most the triggerRatio, ${triggerRatio}` };
  }
  if (background === undefined || background.prepareRatio <= background.applyRatio) return undefined;
  const { prepareRatio, applyRatio } = background;
  return { key: "background.prepareRatio", value: prepareRatio, allowed: `at most the applyRatio, ${applyRatio}` };
}

function findTriggersFault(triggers: readonly Trigger[]): Contradiction | undefined {
  for (const [index, trigger] of triggers.entries()) {
    const fault = findTriggerFault(trigger) ?? findTailFault(trigger);
    if (fault !== undefined) return { ...fault, key: `triggers[${index}].${fault.key}` };
  }
  return undefined;
}

/** With a tail above the threshold, the first summary would have nothing to cover. */
function findTailFault(trigger: Trigger): Contradiction | undefined {
  if (trigger.type !== "unsummarised" || trigger.tailMessages <= trigger.threshold) return undefined;
  const { tailMessages, threshold } = trigger;
  return { key: "tailMessages", value: tailMessages, allowed: `at most the threshold, ${threshold}` };
}

/** Messages that the tail keeps out of the summary and the window does not show would be invisible. */
function findVisibleFault({ visible, tail }: PolicySettings): Contradiction | undefined {
  if (visible === undefined) return undefined;
  const { messagesWithSummary } = visible;
  const kept = Math.max(tail.messages ?? 0, tail.textMessages ?? 0);
  if (messagesWithSummary >= kept) return undefined;
  const allowed = `at least the messages of the tail, ${kept}`;
  return { key: "visible.messagesWithSummary", value: messagesWithSummary, allowed };
}
