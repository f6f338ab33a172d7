/** A view that a compaction would leave, with the changes that lead to it. Steps of the staircase go from one to the next. */
import { reviseView, type View } from "../log/view.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { type Change, foldChanges } from "./proposal.ts";

export interface Tentative {
  readonly view: View;
  readonly changes: readonly Change[];
  /** Tokens of the whole prompt. */
  readonly tokens: number;
}

export function startTentative(view: View, need: CompactionNeed): Tentative {
  return { view, changes: [], tokens: need.measure(view) };
}

export function extendTentative(from: Tentative, change: Change, need: CompactionNeed): Tentative {
  const view = reviseView(from.view, foldChanges(from.view.head, [change]), { count: need.count });
  // A wider truncation, and a summary, stand for the truncation before them.
  const isCover = change.type === "truncate" || change.type === "summary";
  const earlier = isCover ? from.changes.filter(({ type }) => type !== "truncate") : from.changes;
  return { view, changes: [...earlier, change], tokens: need.measure(view) };
}

/** What other changes would have made of the same start. */
export function replayTentative(start: Tentative, changes: readonly Change[], need: CompactionNeed): Tentative {
  const view = reviseView(start.view, foldChanges(start.view.head, changes), { count: need.count });
  return { view, changes, tokens: need.measure(view) };
}
