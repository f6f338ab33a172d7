/**
 * The last resort beside the staircase: the history has run away because no compaction came, so the oldest messages
 * leave the view without a summary. Turns go whole, so that no answer is left without its question. Only where the last
 * two turns alone are too large do rounds inside them go, and what was asked in them stays. The summary stays too.
 */
import type { ViewMessage } from "../log/view.ts";
import { groupTurnsBy } from "../message/group-turns.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { findBorder, foldableBorders } from "./drop-oldest.ts";
import { findTail } from "./find-tail.ts";
import type { Tentative } from "./tentative.ts";

/** The fewest that reach the target, or all that may go; undefined where nothing may. The need measures history. */
export function dropInEmergency(from: Tentative, need: CompactionNeed): Tentative | undefined {
  const { messages } = from.view;
  const starts = turnStarts(messages);
  const lastTurns = findTail(messages, { exchanges: 2 });
  const borders = foldableBorders(from).filter((border) => border > lastTurns || starts.has(border));
  // With the limit at the target a search that cannot reach it ends at the last border, not halfway.
  const found = findBorder(from, { ...need, limitTokens: need.targetTokens }, { borders, addedTokens: 0 });
  return found !== undefined && found.left.tokens < from.tokens ? found.left : undefined;
}

function turnStarts(messages: readonly ViewMessage[]): ReadonlySet<number> {
  const starts = new Set<number>();
  let start = 0;
  for (const { items } of groupTurnsBy(messages, ({ message }) => message)) {
    starts.add(start);
    start += items.length;
  }
  return starts;
}
