/** The view that a compaction would leave, with the changes that lead to it. */
import { reviseView, type View } from "../log/view.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { type Change, foldChanges } from "./proposal.ts";

export interface TentativeView {
  readonly view: View;
  readonly changes: readonly Change[];
  readonly tokens: number;
}

export function startTentativeView(view: View, need: CompactionNeed): TentativeView {
  return { view, changes: [], tokens: need.measure(view) };
}

export function extendTentativeView(from: TentativeView, change: Change, need: CompactionNeed): TentativeView {
  const view = reviseView(from.view, foldChanges(from.view.head, [change]), { count: need.count });
  // A wider truncation or a summary replaces the earlier truncation.
  const isCover = change.type === "truncate" || change.type === "summary";
  const earlier = isCover ? from.changes.filter(({ type }) => type !== "truncate") : from.changes;
  return { view, changes: [...earlier, change], tokens: need.measure(view) };
}

export function sumTokens(items: readonly { readonly tokens: number }[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Applies the given changes to the start, instead of those made so far. */
export function replayTentativeView(
  start: TentativeView,
  changes: readonly Change[],
  need: CompactionNeed,
): TentativeView {
  const view = reviseView(start.view, foldChanges(start.view.head, changes), { count: need.count });
  return { view, changes, tokens: need.measure(view) };
}
