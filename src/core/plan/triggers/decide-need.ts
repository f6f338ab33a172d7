/** Decides whether to compact: checks every trigger. The most urgent one that fired determines the need. */
import { checkTrigger, type Firing, type TriggerVerdict } from "./check-trigger.ts";
import { BUILT_IN_TRIGGERS, type Trigger, type TriggerType } from "./trigger.ts";
import type { TriggerFacts } from "./trigger-facts.ts";

export type Need = "none" | "soft" | "hard";

export interface Suppression {
  readonly type: TriggerType;
  readonly why: string;
}

export interface NeedDecision {
  readonly need: Need;
  readonly fired: readonly Firing[];
  readonly suppressed: readonly Suppression[];
}

export interface NeedSwitches {
  /** When false, only the built-in triggers apply: overflow, refusal and manual. */
  readonly enabled: boolean;
  /** After an undo, soft triggers are held back. */
  readonly holdSoft: boolean;
}

export function decideNeed(facts: TriggerFacts, triggers: readonly Trigger[], switches: NeedSwitches): NeedDecision {
  const fired: Firing[] = [];
  const suppressed: Suppression[] = [];
  for (const trigger of triggers) {
    const verdict = applySwitches(checkTrigger(trigger, facts), trigger.type, switches);
    if (verdict.type === "fires") fired.push(verdict.firing);
    if (verdict.type === "held") suppressed.push({ type: trigger.type, why: verdict.why });
  }
  return { need: findMostUrgent(fired), fired, suppressed };
}

function applySwitches(
  verdict: TriggerVerdict,
  type: TriggerType,
  { enabled, holdSoft }: NeedSwitches,
): TriggerVerdict {
  const isBuiltIn = BUILT_IN_TRIGGERS.some((trigger) => trigger.type === type);
  if (verdict.type === "quiet") return verdict;
  if (!enabled && !isBuiltIn) return { type: "held", why: "compaction is switched off" };
  if (verdict.type === "held" || !holdSoft) return verdict;
  const { firing } = verdict;
  if (firing.need === "soft" && !isBuiltIn) return { type: "held", why: `${firing.reason}, but an undo holds it back` };
  const reason = `${firing.reason}; an undo does not hold this trigger back`;
  return { type: "fires", firing: { ...firing, reason } };
}

function findMostUrgent(fired: readonly Firing[]): Need {
  if (fired.length === 0) return "none";
  return fired.some(({ need }) => need === "hard") ? "hard" : "soft";
}
