/**
 * The truncating steps: the fewest of the oldest rounds go that reach the target. Where none does, half of what could
 * be saved is, so that the next turns have room too: a past that changes every turn is dearer than any history. The
 * tail that the policy wishes for is given up only when nothing before it is enough, and the last two requests and the
 * newest round are never given up.
 */
import { preambleSeqs, viewFloorSeq } from "../log/head.ts";
import type { View, ViewMessage } from "../log/view.ts";
import { groupTurnsBy } from "../message/group-messages.ts";
import { hasSealedCompaction } from "../message/provider-compaction.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { findLastRequests, findLeastTail, findTail, findWishedTail, roundBorders } from "./find-tail.ts";
import type { Change } from "./proposal.ts";
import { extendTentative, type Tentative } from "./tentative-view.ts";

export function dropOldest(from: Tentative, need: CompactionNeed): Tentative {
  return dropWithin(from, need, foldableBorders(from));
}

/** The same without touching the tail that the policy wishes for. */
export function dropBeforeTail(from: Tentative, need: CompactionNeed): Tentative {
  const tailStart = findWishedTail(from, need);
  return dropWithin(
    from,
    need,
    foldableBorders(from).filter((border) => border <= tailStart),
  );
}

function dropWithin(from: Tentative, need: CompactionNeed, borders: readonly number[]): Tentative {
  const found = findBorder(from, need, { borders, addedTokens: 0 });
  return found !== undefined && found.left.tokens < from.tokens ? found.left : from;
}

/** Where a view may be parted, up to the least that must stay. */
export function foldableBorders({ view }: Tentative): readonly number[] {
  const last = findLeastTail(view.messages);
  return roundBorders(view.messages).filter((border) => border > 0 && border <= last);
}

export interface BorderSearch {
  readonly borders: readonly number[];
  /** What comes in place of what goes, in tokens of the prompt. */
  readonly addedTokens: number;
  /** The summary goes too: another one takes its place. */
  readonly dropsSummary?: boolean | undefined;
}

export interface FoundBorder {
  readonly border: number;
  /** Without what stands before the border. */
  readonly left: Tentative;
}

/** The first border that reaches the target; else the one that saves half of what the last could save. */
export function findBorder(from: Tentative, need: CompactionNeed, search: BorderSearch): FoundBorder | undefined {
  const { borders, addedTokens, dropsSummary } = search;
  if (borders.length === 0) return undefined;
  const drop = remember((index) => {
    const change = truncation(from, { border: borders[index] ?? 0, need, dropsSummary });
    return extendTentative(from, change, need);
  });
  const least = drop(borders.length - 1).tokens + addedTokens;
  const halfway = Math.max(need.targetTokens, Math.floor((least + need.limitTokens) / 2));
  const goalTokens = (least <= need.targetTokens ? need.targetTokens : halfway) - addedTokens;
  const fewest = findFewest(from, { borders, drop, goalTokens });
  return { border: borders[fewest] ?? 0, left: drop(fewest) };
}

/** What a view without everything before the border would be. */
export function dropBefore(from: Tentative, border: number, need: CompactionNeed): Tentative {
  const known = KNOWN_DROPS.get(from);
  if (known !== undefined && known.border === border && known.measure === need.measure) return known.left;
  const left = extendTentative(from, truncation(from, { border, need, dropsSummary: true }), need);
  KNOWN_DROPS.set(from, { border, measure: need.measure, left });
  return left;
}

interface KnownDrop {
  readonly border: number;
  readonly measure: CompactionNeed["measure"];
  readonly left: Tentative;
}

/** A border that was chosen is asked about several times over, and its view may be a whole year. */
const KNOWN_DROPS = new WeakMap<Tentative, KnownDrop>();

interface Search {
  readonly borders: readonly number[];
  readonly drop: (index: number) => Tentative;
  readonly goalTokens: number;
}

/** Bisects, but looks first where the tokens that are shown say that the answer should be. */
function findFewest(from: Tentative, { borders, drop, goalTokens }: Search): number {
  let [low, high] = [0, borders.length - 1];
  const look = (index: number) => {
    if (index < low || index >= high) return;
    if (drop(index).tokens <= goalTokens) high = index;
    else low = index + 1;
  };
  const guess = guessBorder(from, borders, goalTokens);
  for (const index of [guess, guess - 1, guess + 1]) look(index);
  while (low < high) look(Math.floor((low + high) / 2));
  return low;
}

function guessBorder({ view, tokens }: Tentative, borders: readonly number[], goalTokens: number): number {
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

/** Everything before the border is covered; what was truncated before is part of it. */
export function truncation({ view }: Tentative, { border, need, dropsSummary }: TruncationOptions): Change {
  const { head, messages } = view;
  // Instructions stay where they are, so that no covering counts them.
  const preamble = new Set(preambleSeqs(head));
  const dropped = messages.slice(0, border).filter(({ seq }) => !preamble.has(seq));
  const replaced = dropsSummary === true ? head.summary : undefined;
  const firstSeq = head.truncation?.coverage.firstSeq ?? dropped[0]?.seq ?? viewFloorSeq(head) + 1;
  const coverage = {
    firstSeq: replaced?.coverage.firstSeq ?? firstSeq,
    lastSeq: dropped.at(-1)?.seq ?? viewFloorSeq(head),
    count: (replaced?.coverage.count ?? 0) + (head.truncation?.coverage.count ?? 0) + dropped.length,
  };
  const tokens = dropped.reduce((sum, item) => sum + need.count(item.message), 0);
  const coveredTokens = (replaced?.tokensBefore ?? 0) + (head.truncation?.coveredTokens ?? 0) + tokens;
  const keptRequests = keptRequestsOf(view, { lastSeq: coverage.lastSeq, need });
  const readThroughSeq = head.foldedThroughSeq;
  const drops = replaced === undefined ? {} : { dropsSummary: true };
  return { type: "truncate", coverage, coveredTokens, keptRequests, readThroughSeq, ...drops, reason: need.reason };
}

/** A sealed compaction that takes more than this share of the limit is not kept. */
const SEALED_SHARE = 0.25;

/**
 * What stays word for word where it stands before the border: the last two requests, and the newest compaction that
 * only its provider can read, because no summary can stand for it.
 */
export function keptRequestsOf(
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

function remember<Value>(make: (index: number) => Value): (index: number) => Value {
  const made = new Map<number, Value>();
  return (index) => {
    const known = made.get(index);
    if (known !== undefined) return known;
    const value = make(index);
    made.set(index, value);
    return value;
  };
}

// The last resort beside the staircase: the history has run away because no compaction came, so the oldest messages
// leave the view without a summary. Turns go whole, so that no answer is left without its question. Only where the
// last two turns alone are too large do rounds inside them go, and what was asked in them stays. The summary stays
// too.
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
