/**
 * Whether to act: every trigger is asked, each that fires is named, and so is each that would have. The need is that of
 * the most pressing one.
 *
 * It does not ask whether acting pays (`economic-gate.ts`) and does not say how (`propose-compaction.ts`).
 */
import { checkTrigger, type Firing, type Verdict } from "./check-trigger.ts";
import { STANDING_TRIGGERS, type Trigger, type TriggerType } from "./trigger.ts";
import type { TriggerFacts } from "./trigger-facts.ts";

/** Not needed, worth it, unavoidable. */
export type Need = "none" | "soft" | "hard";

export interface Suppression {
  readonly type: TriggerType;
  readonly why: string;
}

export interface NeedDecision {
  readonly need: Need;
  /** In the order of the triggers. */
  readonly fired: readonly Firing[];
  readonly suppressed: readonly Suppression[];
}

export interface NeedSwitches {
  /** Off: only what stands whatever the policy says is listened to. */
  readonly enabled: boolean;
  /** After an undo: what can wait waits. */
  readonly holdSoft: boolean;
}

export function decideNeed(facts: TriggerFacts, triggers: readonly Trigger[], switches: NeedSwitches): NeedDecision {
  const fired: Firing[] = [];
  const suppressed: Suppression[] = [];
  for (const trigger of triggers) {
    const verdict = applySwitches(checkTrigger(trigger, facts), { ...switches, isStanding: isStanding(trigger.type) });
    if (verdict.type === "fires") fired.push(verdict.firing);
    if (verdict.type === "held") suppressed.push({ type: trigger.type, why: verdict.why });
  }
  return { need: mostPressing(fired), fired, suppressed };
}

interface TriggerSwitches extends NeedSwitches {
  readonly isStanding: boolean;
}

function applySwitches(verdict: Verdict, { enabled, holdSoft, isStanding: stands }: TriggerSwitches): Verdict {
  if (verdict.type === "quiet") return verdict;
  if (!enabled && !stands) return { type: "held", why: "compaction is switched off" };
  if (verdict.type === "held" || !holdSoft) return verdict;
  const { firing } = verdict;
  if (firing.need === "soft" && !stands) return { type: "held", why: `${firing.reason}, but an undo holds it back` };
  return { type: "fires", firing: { ...firing, reason: `${firing.reason}; an undo cannot hold this back` } };
}

function isStanding(type: TriggerType): boolean {
  return STANDING_TRIGGERS.some((standing) => standing.type === type);
}

function mostPressing(fired: readonly Firing[]): Need {
  if (fired.length === 0) return "none";
  return fired.some(({ need }) => need === "hard") ? "hard" : "soft";
}
