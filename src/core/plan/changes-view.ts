import type { PlanSettings } from "./plan-settings.ts";

/** Whether a policy sends less than the log shows, request by request. */
export function changesView({ visible, prune }: PlanSettings): boolean {
  return visible !== undefined || prune.inLoop === true;
}
