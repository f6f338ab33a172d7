/**
 * The laws by name, and which of them a policy relaxes. Relaxations are derived from the settings: a policy that shows
 * only part of a conversation or deletes summarised messages relaxes a law, and every plan and report says so.
 */
import type { PolicySettings } from "./policy-input.ts";

export const LAWS = [
  "1 fits",
  "2 valid",
  "3 no gap",
  "4 nothing lost",
  "5 shrinks",
  "6 stable",
  "7 once",
  "8 faithful",
  "9 cost of new",
] as const;

export type Law = (typeof LAWS)[number];

/** Lists relaxed laws in order: those that the settings name, and those that follow from other settings. */
export function findRelaxedLaws(settings: PolicySettings): readonly Law[] {
  const implied = new Set<string>(settings.relaxedLaws);
  if (settings.visible !== undefined) implied.add("3 no gap").add("6 stable");
  if (settings.retention !== "keep") implied.add("4 nothing lost");
  if (settings.prune.inLoop) implied.add("6 stable");
  return LAWS.filter((law) => implied.has(law));
}
