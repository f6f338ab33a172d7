/** Drops the oldest rounds without a summary. The newest round stays, and by default the last two requests. */
import { findPreambleSeqs, findViewFloorSeq } from "../log/head.ts";
import type { View, ViewMessage } from "../log/view.ts";
import { groupTurnsBy } from "../message/group-messages.ts";
import { hasSealedCompaction } from "../message/provider-compaction.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { findLastRequests, findLeastTail, findPreferredTail, findRoundBorders, findTail } from "./find-tail.ts";
import type { Change } from "./proposal.ts";
import { extendTentativeView, type TentativeView } from "./tentative-view.ts";

export function dropOldest(from: TentativeView, need: CompactionNeed): TentativeView {
  return dropWithin(from, need, findFoldableBorders(from));
}

export function dropBeforeTail(from: TentativeView, need: CompactionNeed): TentativeView {
  const tailStart = findPreferredTail(from, need);
  return dropWithin(
    from,
    need,
    findFoldableBorders(from).filter((border) => border <= tailStart),
  );
}

function dropWithin(from: TentativeView, need: CompactionNeed, borders: readonly number[]): TentativeView {
  const found = findBorder(from, need, { borders, addedTokens: 0 });
  return found !== undefined && found.left.tokens < from.tokens ? found.left : from;
}

/** Lists the borders at which a view may be cut, up to the newest round, which must stay. */
export function findFoldableBorders({ view }: TentativeView): readonly number[] {
  const last = findLeastTail(view.messages);
  return findRoundBorders(view.messages).filter((border) => border > 0 && border <= last);
}

export interface BorderSearch {
  readonly borders: readonly number[];
  /** Tokens that will replace the dropped messages. */
  readonly addedTokens: number;
  /** Returns the view after a change at this border. By default, the change is a truncation. */
  readonly leave?: ((border: number) => TentativeView) | undefined;
}

export interface FoundBorder {
  readonly border: number;
  readonly left: TentativeView;
}

/** Returns the first border that reaches the target. If none does, halfway between limit and smallest size is enough. */
export function findBorder(from: TentativeView, need: CompactionNeed, search: BorderSearch): FoundBorder | undefined {
  const { borders, addedTokens } = search;
  if (borders.length === 0) return undefined;
  const truncate = (border: number) => extendTentativeView(from, createTruncation(from, { border, need }), need);
  const { leave = truncate } = search;
  const drop = memoize((index) => leave(borders[index] ?? 0));
  const least = drop(borders.length - 1).tokens + addedTokens;
  const halfway = Math.max(need.targetTokens, Math.floor((least + need.limitTokens) / 2));
  const goalTokens = (least <= need.targetTokens ? need.targetTokens : halfway) - addedTokens;
  const fewest = findFewest(from, { borders, drop, goalTokens });
  return { border: borders[fewest] ?? 0, left: drop(fewest) };
}

export function dropBefore(from: TentativeView, border: number, need: CompactionNeed): TentativeView {
  const known = KNOWN_DROPS.get(from);
  if (known !== undefined && known.border === border && known.measure === need.measure) return known.left;
  const left = extendTentativeView(from, createTruncation(from, { border, need, dropsSummary: true }), need);
  KNOWN_DROPS.set(from, { border, measure: need.measure, left });
  return left;
}

interface KnownDrop extends FoundBorder {
  readonly measure: CompactionNeed["measure"];
}

/** Caches the last border, because the chosen one is measured several times and a view can be very long. */
const KNOWN_DROPS = new WeakMap<TentativeView, KnownDrop>();

interface Search {
  readonly borders: readonly number[];
  readonly drop: (index: number) => TentativeView;
  readonly goalTokens: number;
}

/** Bisects, starting where the known token counts predict the answer. */
function findFewest(from: TentativeView, { borders, drop, goalTokens }: Search): number {
  let [low, high] = [0, borders.length - 1];
  const probe = (index: number) => {
    if (index < low || index >= high) return;
    if (drop(index).tokens <= goalTokens) high = index;
    else low = index + 1;
  };
  const guess = guessBorder(from, borders, goalTokens);
  for (const index of [guess, guess - 1, guess + 1]) probe(index);
  while (low < high) probe(Math.floor((low + high) / 2));
  return low;
}

function guessBorder({ view, tokens }: TentativeView, borders: readonly number[], goalTokens: number): number {
  let left = tokens;
  let index = 0;
  const guess = borders.findIndex((border) => {
    for (; index < border; index += 1) left -= view.messages[index]?.tokens ?? 0;
    return left <= goalTokens;
  });
  return guess < 0 ? borders.length - 1 : guess;
}

interface TruncationOptions {
  readonly border: number;
  readonly need: CompactionNeed;
  readonly dropsSummary?: boolean | undefined;
}

/** Covers everything before the border, including earlier truncations. */
export function createTruncation(
  { view }: TentativeView,
  { border, need, dropsSummary }: TruncationOptions,
): Extract<Change, { type: "truncate" }> {
  const { head } = view;
  const dropped = findStretch(view, border);
  const replaced = dropsSummary === true ? head.summary : undefined;
  const firstSeq = head.truncation?.coverage.firstSeq ?? dropped[0]?.seq ?? findViewFloorSeq(head) + 1;
  const coverage = {
    firstSeq: replaced?.coverage.firstSeq ?? firstSeq,
    lastSeq: dropped.at(-1)?.seq ?? findViewFloorSeq(head),
    count: (replaced?.coverage.count ?? 0) + (head.truncation?.coverage.count ?? 0) + dropped.length,
  };
  const tokens = dropped.reduce((sum, item) => sum + need.count(item.message), 0);
  const coveredTokens = (replaced?.tokensBefore ?? 0) + (head.truncation?.coveredTokens ?? 0) + tokens;
  const keptRequests = findKeptRequests(view, { lastSeq: coverage.lastSeq, need });
  const readThroughSeq = head.foldedThroughSeq;
  const drops = replaced === undefined ? {} : { dropsSummary: true };
  return { type: "truncate", coverage, coveredTokens, keptRequests, readThroughSeq, ...drops, reason: need.reason };
}

/** Returns the messages before the border without the instructions, which stay in place. */
export function findStretch({ head, messages }: View, border: number): readonly ViewMessage[] {
  const preamble = new Set(findPreambleSeqs(head));
  return messages.slice(0, border).filter(({ seq }) => !preamble.has(seq));
}

/** A sealed compaction that takes more than this share of the limit is dropped. */
const SEALED_SHARE = 0.25;

/** Finds messages to keep before the border: the last two requests, and the newest compaction sealed by a provider. */
export function findKeptRequests(
  { kept, messages }: View,
  { lastSeq, need }: { readonly lastSeq: number; readonly need: CompactionNeed },
): readonly number[] {
  const all = [...kept, ...messages];
  const requests = need.settings.keepOpenRequest ? findLastRequests(all) : [];
  const sealed = all.findLast(({ message }) => hasSealedCompaction(message));
  const isKept = sealed !== undefined && need.count(sealed.message) <= need.limitTokens * SEALED_SHARE;
  const seqs = [...requests, ...(isKept ? [sealed] : [])].map(({ seq }) => seq);
  return [...new Set(seqs)].filter((seq) => seq <= lastSeq).toSorted((left, right) => left - right);
}

function memoize<Value>(make: (index: number) => Value): (index: number) => Value {
  const made = new Map<number, Value>();
  return (index) => {
    const known = made.get(index);
    if (known !== undefined) return known;
    const value = make(index);
    made.set(index, value);
    return value;
  };
}

/**
 * Drops whole turns when no compaction finished in time. Drops rounds of the last two turns only if those alone are
 * too large. Returns undefined if nothing may be dropped. `need` measures the history alone.
 */
export function dropInEmergency(from: TentativeView, need: CompactionNeed): TentativeView | undefined {
  const { messages } = from.view;
  const starts = findTurnStarts(messages);
  const lastTurns = findTail(messages, { exchanges: 2 });
  const borders = findFoldableBorders(from).filter((border) => border > lastTurns || starts.has(border));
  // With the limit at the target, a search that cannot reach it ends at the last border instead of halfway.
  const found = findBorder(from, { ...need, limitTokens: need.targetTokens }, { borders, addedTokens: 0 });
  return found !== undefined && found.left.tokens < from.tokens ? found.left : undefined;
}

function findTurnStarts(messages: readonly ViewMessage[]): ReadonlySet<number> {
  const starts = new Set<number>();
  let start = 0;
  for (const { items } of groupTurnsBy(messages, ({ message }) => message)) {
    starts.add(start);
    start += items.length;
  }
  return starts;
}
