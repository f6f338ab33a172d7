/**
 * The summarising step: what stands before the tail is folded into one summary, and the summary before it is folded in.
 * Room for the new summary is reserved before anybody is asked for it, so that an answer inside its cap reaches what the
 * step was for. Where that room is too small for any sentence, nothing is asked.
 *
 * It writes no word of the summary; the words come as an answer.
 */
import { preambleSeqs } from "../log/head.ts";
import type { View } from "../log/view.ts";
import type { Message } from "../message/message.ts";
import { summaryCap } from "../summary/record/trim-summary.ts";
import { decideTopicCase, NO_BOUNDARY } from "../topics/topic-boundary.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { dropBefore, findBorder, foldableBorders, keptRequestsOf } from "./drop-oldest.ts";
import { findLeastTail, findTail, findWishedTail, roundBorderAt } from "./find-tail.ts";
import type { Change, ChangeWeight } from "./proposal.ts";
import { askBoundary, askSummary, type Staircase, type SummaryTask } from "./staircase.ts";
import { extendTentative, type Tentative } from "./tentative-view.ts";

/** Below this a summary says nothing that the marker of a truncation does not say. */
const LEAST_SUMMARY_TOKENS = 24;

/** A summary that adds more than this share of what it newly stands for is not worth a change of the past. */
const MOST_OF_REPLACED = 0.75;

/** What a summary may take of what it replaces; what the summary before it took it may take again. */
export function mostInPlaceOf(replacedTokens: number, before: number): number {
  const kept = Math.min(replacedTokens, before);
  return Math.floor(kept + (replacedTokens - kept) * MOST_OF_REPLACED);
}

const USUAL_SUMMARY_TOKENS = 500;
const USUAL_SUMMARY_SHARE = 0.2;

export const NOTHING_TO_FOLD = "Nothing is left to summarise before the newest messages.";

export interface Folded {
  readonly now: Tentative;
  /** Why there is no new summary, where one was wanted. */
  readonly failure?: string | undefined;
}

export function* foldOldest(from: Tentative, need: CompactionNeed): Staircase<Folded> {
  if (need.settings.topics.mode === "first") {
    const truncated = yield* truncateAtBoundary(from, need);
    if (truncated !== undefined) return { now: truncated };
  }
  const border = (yield* chooseBorder(from, need)) ?? (need.isSecondPass === true ? 0 : undefined);
  yield undefined;
  const task = border === undefined ? undefined : taskAt(from, border, need);
  if (border === undefined) return { now: from, failure: NOTHING_TO_FOLD };
  if (task === undefined) return { now: from, failure: "There is no room for a summary." };
  // The documents fold what stands before their tail whatever comes of it; ours has a target to reach.
  if (need.need === "soft" && need.settings.span === "to-target" && !reachesTarget(from, border, need)) {
    return { now: from, failure: "What stands before the tail is not enough to reach the target." };
  }
  yield undefined;
  const answer = yield* askSummary(task);
  if (answer.type === "failed") return { now: from, failure: answer.reason };
  const { lastSeq } = task.coverage;
  const keptRequests = keptRequestsOf(from.view, { lastSeq, need });
  const readThroughSeq = from.view.head.foldedThroughSeq;
  const change: Change = { type: "summary", record: answer.record, keptRequests, readThroughSeq };
  const now = extendTentative(from, change, need);
  const mustShrink = task.replacedTokens !== undefined;
  if (mustShrink && now.tokens >= from.tokens) return { now: from, failure: "The summary made nothing smaller." };
  return { now };
}

/**
 * What folding before the tail would come to, with a summary as large as it may be; undefined where there is nothing.
 * It adds up what is known and counts nothing, because it is asked in many turns.
 */
export function estimateFold(view: View, promptTokens: number, need: CompactionNeed): FoldEstimate | undefined {
  const from: Tentative = { view, changes: [], tokens: promptTokens };
  const { head, messages } = view;
  const border = roundBorderAt(messages, Math.min(findWishedTail(from, need), findLeastTail(messages)));
  const preamble = new Set(preambleSeqs(head));
  const stretch = messages.slice(0, border).filter(({ seq }) => !preamble.has(seq));
  if (stretch.length === 0) return undefined;
  const requests = new Set(keptRequestsOf(view, { lastSeq: stretch.at(-1)?.seq ?? 0, need }));
  const gone = sumTokens(stretch.filter(({ seq }) => !requests.has(seq))) + (head.summary?.tokensAfter ?? 0);
  const addedTokens = Math.min(reserveOf(need), mostInPlaceOf(gone, head.summary?.tokensAfter ?? 0));
  if (addedTokens < LEAST_SUMMARY_TOKENS) return undefined;
  const keptTokens = sumTokens(messages.slice(border));
  const tokensAfter = Math.max(0, promptTokens - gone + addedTokens);
  const said = stretch.map(({ message }) => message);
  return {
    stretch: said,
    capTokens: addedTokens,
    tokensAfter,
    weight: { removedTokens: gone, addedTokens, keptTokens },
  };
}

function sumTokens(items: readonly { readonly tokens: number }[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

export interface FoldEstimate {
  readonly stretch: readonly Message[];
  readonly capTokens: number;
  readonly tokensAfter: number;
  readonly weight: ChangeWeight;
}

/** Where the conversation turned to something else among what was said last, everything before goes without a summary. */
function* truncateAtBoundary(from: Tentative, need: CompactionNeed): Staircase<Tentative | undefined> {
  const { messages } = from.view;
  const verbatimStart = findWishedTail(from, need);
  const found = yield* askBoundary(messages.map(({ message }) => message));
  if (found.confidence < need.settings.topics.minConfidence) return undefined;
  const boundary = { ...NO_BOUNDARY, boundaryIndex: found.index ?? null, confidence: found.confidence };
  const sizes = { messageCount: messages.length, historyTokens: from.tokens, triggerTokens: 0 };
  const decision = decideTopicCase({ ...sizes, verbatimStart, boundary });
  if (decision.case !== "truncate" || found.index === undefined) return undefined;
  const { exchanges = 0 } = need.settings.tail;
  const border = roundBorderAt(messages, Math.min(found.index, findTail(messages, { exchanges })));
  if (border <= 0) return undefined;
  const dropped = dropBefore(from, border, need);
  return dropped.tokens < from.tokens ? dropped : undefined;
}

function* chooseBorder(from: Tentative, need: CompactionNeed): Staircase<number | undefined> {
  const all = foldableBorders(from);
  const wished = findWishedTail(from, need);
  const before = all.filter((border) => border <= wished);
  yield undefined;
  const preferred = preferBorder(from, need, before);
  yield undefined;
  if (preferred !== undefined && reachesTarget(from, preferred, need)) return preferred;
  if (need.need === "soft" || (preferred !== undefined && roomBeside(from, preferred, need) !== undefined))
    return preferred;
  return (yield* findTopicBorder(from, need, all)) ?? searchBorder(from, need, all);
}

function preferBorder(from: Tentative, need: CompactionNeed, borders: readonly number[]): number | undefined {
  switch (need.settings.span) {
    case "before-tail":
      return borders.at(-1);
    case "half":
      return halfBorder(from, borders);
    case "to-target":
      return searchBorder(from, need, borders);
    default:
      return need.settings.span satisfies never;
  }
}

function searchBorder(from: Tentative, need: CompactionNeed, borders: readonly number[]): number | undefined {
  return findBorder(from, need, { borders, addedTokens: reserveOf(need), dropsSummary: true })?.border;
}

/** The oldest half of what is shown. */
function halfBorder({ view }: Tentative, borders: readonly number[]): number | undefined {
  const half = view.messages.reduce((sum, { tokens }) => sum + tokens, 0) / 2;
  let [tokens, index] = [0, 0];
  return (
    borders.find((border) => {
      for (; index < border; index += 1) tokens += view.messages[index]?.tokens ?? 0;
      return tokens >= half;
    }) ?? borders.at(-1)
  );
}

/** The tail is given up where the conversation turned to something else, if that is enough. */
function* findTopicBorder(
  from: Tentative,
  need: CompactionNeed,
  borders: readonly number[],
): Staircase<number | undefined> {
  const { mode, minConfidence } = need.settings.topics;
  if (mode !== "fallback" || borders.length === 0) return undefined;
  const found = yield* askBoundary(from.view.messages.map(({ message }) => message));
  if (found.index === undefined || found.confidence < minConfidence) return undefined;
  const border = roundBorderAt(from.view.messages, found.index);
  return borders.includes(border) && reachesTarget(from, border, need) ? border : undefined;
}

function reachesTarget(from: Tentative, border: number, need: CompactionNeed): boolean {
  const left = dropBefore(from, border, need).tokens;
  const before = from.view.head.summary?.tokensAfter ?? 0;
  const added = Math.min(reserveOf(need), mostInPlaceOf(from.tokens - left, before));
  return left + added <= need.targetTokens;
}

/**
 * Where nothing below the limit is asked for, or a second pass may still shorten it, the tail stays as long as it fits
 * with any summary beside it: what that may take then, in tokens of the prompt. Undefined where it does not fit, or
 * where the policy has a target to reach at once.
 */
function roomBeside(from: Tentative, border: number, need: CompactionNeed): number | undefined {
  const { span, summary, targetRatio } = need.settings;
  const isUnhurried = span === "before-tail" && (summary.secondPass || targetRatio >= 1);
  const isTight = need.isTight === true || (need.isPriced === true && summary.smallTokens > 0);
  if (need.need !== "hard" || !(isUnhurried || isTight)) return undefined;
  const room = need.limitTokens - dropBefore(from, border, need).tokens - WRAPPING_TOKENS;
  return room < LEAST_SUMMARY_TOKENS ? undefined : room;
}

/** What a renderer puts around a summary. */
const WRAPPING_TOKENS = 32;

/** What is set aside for a new summary before its words are known. One without a cap gets what most of them take. */
function reserveOf(need: CompactionNeed): number {
  if (need.settings.summary.smallTokens > 0) return roomOf(need);
  return Math.min(roomOf(need), Math.max(USUAL_SUMMARY_TOKENS, Math.floor(need.limitTokens * USUAL_SUMMARY_SHARE)));
}

/** What a new summary may take, in tokens of the prompt. */
function roomOf({ settings, limitTokens }: CompactionNeed): number {
  return summaryCap(settings.summary, limitTokens);
}

function taskAt(from: Tentative, border: number, need: CompactionNeed): SummaryTask | undefined {
  const { head, messages } = from.view;
  const preamble = new Set(preambleSeqs(head));
  const stretch = messages.slice(0, border).filter(({ seq }) => !preamble.has(seq));
  const left = dropBefore(from, border, need);
  const change = left.changes.at(-1);
  const isEmpty = stretch.length === 0 && (need.isSecondPass !== true || head.summary === undefined);
  if (isEmpty || change?.type !== "truncate") return undefined;
  const replaced = need.uncalibrate(from.tokens - left.tokens);
  const mustShrink = need.settings.shrinksBy === "tokens";
  const room = need.uncalibrate(Math.min(roomOf(need), roomBeside(from, border, need) ?? Number.POSITIVE_INFINITY));
  const capTokens = mustShrink ? Math.min(room, mostInPlaceOf(replaced, head.summary?.tokensAfter ?? 0)) : room;
  if (capTokens < LEAST_SUMMARY_TOKENS) return undefined;
  const { summary, truncation: truncated } = head;
  const { firstSeq, lastSeq } = change.coverage;
  const omittedCount = (summary?.omitted?.count ?? 0) + (truncated?.coverage.count ?? 0);
  const omittedTokens = (summary?.omitted?.tokens ?? 0) + (truncated?.coveredTokens ?? 0);
  const count = (summary?.coverage.count ?? 0) + (truncated?.coverage.count ?? 0) + stretch.length;
  return {
    stretch: stretch.map(({ message }) => message),
    previous: summary,
    coverage: { firstSeq, lastSeq, count },
    omitted: omittedCount === 0 ? undefined : { count: omittedCount, tokens: omittedTokens },
    capTokens,
    replacedTokens: mustShrink ? replaced : undefined,
    tokensBefore: change.coveredTokens,
    keepsDepth: need.atDepthCap === "fold",
    reason: need.reason,
  };
}
