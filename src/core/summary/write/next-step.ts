/**
 * What an agent was about to do: of the open items that it set itself in the newest turn that has any, the first, because
 * lists of things to do are worked off from the top.
 */
import type { Fact } from "../record/record.ts";

export function findNextStep(facts: readonly Fact[]): Fact | undefined {
  const open = facts.filter(
    ({ kind, status, saidBy }) => kind === "open-item" && status === "open" && saidBy !== "user",
  );
  const newest = open.reduce((latest, { lastTurn }) => Math.max(latest, lastTurn), 0);
  return open.find(({ lastTurn }) => lastTurn === newest);
}
