/** Numbers of one trigger that contradict each other. Ranges of single numbers are checked where settings are read. */
import { EMERGENCY_RATIO, type Trigger } from "./trigger.ts";

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
