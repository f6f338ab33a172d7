/**
 * Folds the oldest messages and the previous summary into one new summary. Room is reserved before the summary is
 * requested; if it is too small for a sentence, nothing is requested.
 */
import type { View } from "../log/view.ts";
import type { Message } from "../message/message.ts";
import { summaryCap } from "../summary/record/trim-summary.ts";
import { decideTopicCase, NO_BOUNDARY } from "../topics/topic-boundary.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { dropBefore, findBorder, findFoldableBorders, findKeptRequests, findStretch } from "./drop-oldest.ts";
import { findLeastTail, findPreferredTail, findRoundBorderAt, findTail } from "./find-tail.ts";
import { foldBefore } from "./fold-before.ts";
import type { Change, ChangeWeight } from "./proposal.ts";
import { requestBoundary, requestSummary, type Staircase, type SummaryTask } from "./staircase.ts";
import { extendTentativeView, sumTokens, type TentativeView } from "./tentative-view.ts";

/** A smaller summary is no better than the line that counts truncated messages. */
const MIN_SUMMARY_TOKENS = 24;

/** The largest share of the newly covered tokens that a summary may take. */
const MAX_SHARE_OF_REPLACED = 0.75;

/**
 * Returns the largest size of a summary that replaces these tokens. The previous summary's tokens count in full. A
 * summary that replaces only the previous one must be smaller than it.
 */
export function capReplacement(replacedTokens: number, before: number): number {
  const kept = Math.min(replacedTokens - 1, before);
  return Math.floor(kept + (replacedTokens - kept) * MAX_SHARE_OF_REPLACED);
}

const USUAL_SUMMARY_TOKENS = 500;
const USUAL_SUMMARY_SHARE = 0.2;

export const NOTHING_TO_FOLD = "Nothing to summarize before the newest messages.";

export interface FoldOutcome {
  readonly now: TentativeView;
  /** The reason why there is no new summary. */
  readonly failure?: string | undefined;
}

export function* foldOldest(from: TentativeView, need: CompactionNeed): Staircase<FoldOutcome> {
  if (need.settings.topics.mode === "first") {
    const truncated = yield* truncateAtBoundary(from, need);
    if (truncated !== undefined) return { now: truncated };
  }
  const border = (yield* chooseBorder(from, need)) ?? (need.isSecondPass === true ? 0 : undefined);
  yield undefined;
  const task = border === undefined ? undefined : createSummaryTask(from, border, need);
  if (border === undefined) return { now: from, failure: NOTHING_TO_FOLD };
  if (task === undefined) return { now: from, failure: "There is no room for a summary." };
  // Other spans fold even if the target is not reached.
  if (need.urgency === "soft" && need.settings.span === "to-target" && !reachesTarget(from, border, need)) {
    return { now: from, failure: "Folding everything before the tail would not reach the target." };
  }
  yield undefined;
  const answer = yield* requestSummary(task);
  if (answer.type === "failed") return { now: from, failure: answer.reason };
  const { lastSeq } = task.coverage;
  const keptRequests = findKeptRequests(from.view, { lastSeq, need });
  const readThroughSeq = from.view.head.foldedThroughSeq;
  const change: Change = { type: "summary", record: answer.record, keptRequests, readThroughSeq };
  const now = extendTentativeView(from, change, need);
  const mustShrink = task.replacedTokens !== undefined;
  if (mustShrink && now.tokens >= from.tokens)
    return { now: from, failure: "The summary did not make the prompt smaller." };
  return { now };
}

/** Estimates a fold before the tail from known counts. Returns undefined if there is nothing to fold. */
export function estimateFold(view: View, promptTokens: number, need: CompactionNeed): FoldEstimate | undefined {
  const from: TentativeView = { view, changes: [], tokens: promptTokens };
  const { head, messages } = view;
  const border = findRoundBorderAt(messages, Math.min(findPreferredTail(from, need), findLeastTail(messages)));
  const stretch = findStretch(view, border);
  if (stretch.length === 0) return undefined;
  const requests = new Set(findKeptRequests(view, { lastSeq: stretch.at(-1)?.seq ?? 0, need }));
  const gone = sumTokens(stretch.filter(({ seq }) => !requests.has(seq))) + (head.summary?.tokensAfter ?? 0);
  const addedTokens = Math.min(reserveSummaryTokens(need), capReplacement(gone, head.summary?.tokensAfter ?? 0));
  if (addedTokens < MIN_SUMMARY_TOKENS) return undefined;
  const keptTokens = sumTokens(messages.slice(border));
  const tokensAfter = Math.max(0, promptTokens - gone + addedTokens);
  const weight = { removedTokens: gone, addedTokens, keptTokens };
  return { stretch: stretch.map(({ message }) => message), capTokens: addedTokens, tokensAfter, weight };
}

export interface FoldEstimate {
  readonly stretch: readonly Message[];
  readonly capTokens: number;
  readonly tokensAfter: number;
  readonly weight: ChangeWeight;
}

/** Drops everything before a topic boundary among the newest messages, without a summary. */
function* truncateAtBoundary(from: TentativeView, need: CompactionNeed): Staircase<TentativeView | undefined> {
  const { messages } = from.view;
  const verbatimStart = findPreferredTail(from, need);
  const found = yield* requestBoundary(messages.map(({ message }) => message));
  if (found.confidence < need.settings.topics.minConfidence) return undefined;
  const boundary = { ...NO_BOUNDARY, boundaryIndex: found.index ?? null, confidence: found.confidence };
  const sizes = { messageCount: messages.length, historyTokens: from.tokens, triggerTokens: 0 };
  const decision = decideTopicCase({ ...sizes, verbatimStart, boundary });
  if (decision.case !== "truncate" || found.index === undefined) return undefined;
  const { exchanges = 0 } = need.settings.tail;
  const border = findRoundBorderAt(messages, Math.min(found.index, findTail(messages, { exchanges })));
  if (border <= 0) return undefined;
  const dropped = dropBefore(from, border, need);
  return dropped.tokens < from.tokens ? dropped : undefined;
}

function* chooseBorder(from: TentativeView, need: CompactionNeed): Staircase<number | undefined> {
  const all = findFoldableBorders(from);
  const preferredStart = findPreferredTail(from, need);
  const before = all.filter((border) => border <= preferredStart);
  yield undefined;
  const preferred = preferBorder(from, need, before);
  yield undefined;
  if (preferred !== undefined && reachesTarget(from, preferred, need)) return preferred;
  if (need.urgency === "soft" || (preferred !== undefined && findRoomBesideTail(from, preferred, need) !== undefined))
    return preferred;
  return (yield* findTopicBorder(from, need, all)) ?? searchBorder(from, need, all);
}

function preferBorder(from: TentativeView, need: CompactionNeed, borders: readonly number[]): number | undefined {
  switch (need.settings.span) {
    case "before-tail":
      return borders.at(-1);
    case "half":
      return findHalfBorder(from, borders);
    case "to-target":
      return searchBorder(from, need, borders);
    default:
      return need.settings.span satisfies never;
  }
}

function searchBorder(from: TentativeView, need: CompactionNeed, borders: readonly number[]): number | undefined {
  const leave = (border: number) => foldBefore(from, border, need);
  return findBorder(from, need, { borders, addedTokens: reserveSummaryTokens(need), leave })?.border;
}

/** Returns the first border that covers half of the shown tokens. */
function findHalfBorder({ view }: TentativeView, borders: readonly number[]): number | undefined {
  const half = sumTokens(view.messages) / 2;
  let [tokens, index] = [0, 0];
  return (
    borders.find((border) => {
      for (; index < border; index += 1) tokens += view.messages[index]?.tokens ?? 0;
      return tokens >= half;
    }) ?? borders.at(-1)
  );
}

/** Finds a topic boundary inside the tail at which a fold reaches the target. */
function* findTopicBorder(
  from: TentativeView,
  need: CompactionNeed,
  borders: readonly number[],
): Staircase<number | undefined> {
  const { mode, minConfidence } = need.settings.topics;
  if (mode !== "fallback" || borders.length === 0) return undefined;
  const found = yield* requestBoundary(from.view.messages.map(({ message }) => message));
  if (found.index === undefined || found.confidence < minConfidence) return undefined;
  const border = findRoundBorderAt(from.view.messages, found.index);
  return borders.includes(border) && reachesTarget(from, border, need) ? border : undefined;
}

function reachesTarget(from: TentativeView, border: number, need: CompactionNeed): boolean {
  const left = foldBefore(from, border, need).tokens;
  const before = from.view.head.summary?.tokensAfter ?? 0;
  const added = Math.min(reserveSummaryTokens(need), capReplacement(from.tokens - left, before));
  return left + added <= need.targetTokens;
}

/** Returns the room that the tail leaves for a summary, or undefined if there is none or the tail must shrink now. */
function findRoomBesideTail(from: TentativeView, border: number, need: CompactionNeed): number | undefined {
  const { span, summary, targetRatio } = need.settings;
  const isUnhurried = span === "before-tail" && (summary.secondPass || targetRatio >= 1);
  const isTight = need.isTight === true || (need.isPriced === true && summary.smallTokens > 0);
  if (need.urgency !== "hard" || !(isUnhurried || isTight)) return undefined;
  const room = need.limitTokens - dropBefore(from, border, need).tokens - WRAPPING_TOKENS;
  return room < MIN_SUMMARY_TOKENS ? undefined : room;
}

/** Tokens that a renderer adds around a summary. */
const WRAPPING_TOKENS = 32;

/** Reserves tokens for a new summary before its text is known. A summary without a cap gets the usual size. */
function reserveSummaryTokens(need: CompactionNeed): number {
  const { limitTokens, settings } = need;
  const cap = summaryCap(settings.summary, limitTokens);
  if (settings.summary.smallTokens > 0) return cap;
  return Math.min(cap, Math.max(USUAL_SUMMARY_TOKENS, Math.floor(limitTokens * USUAL_SUMMARY_SHARE)));
}

function createSummaryTask(from: TentativeView, border: number, need: CompactionNeed): SummaryTask | undefined {
  const { head } = from.view;
  const stretch = findStretch(from.view, border);
  if (stretch.length === 0 && (need.isSecondPass !== true || head.summary === undefined)) return undefined;
  const left = foldBefore(from, border, need);
  const replaced = need.uncalibrate(from.tokens - left.tokens);
  const mustShrink = need.settings.shrinksBy === "tokens";
  const room = need.uncalibrate(
    Math.min(
      summaryCap(need.settings.summary, need.limitTokens),
      findRoomBesideTail(from, border, need) ?? Number.POSITIVE_INFINITY,
    ),
  );
  const capTokens = mustShrink ? Math.min(room, capReplacement(replaced, head.summary?.tokensAfter ?? 0)) : room;
  if (capTokens < MIN_SUMMARY_TOKENS) return undefined;
  const { coverage, omitted, tokensBefore } = left.record;
  const { firstSeq, lastSeq, count } = coverage;
  return {
    stretch: stretch.map(({ message }) => message),
    previous: head.summary,
    coverage: { firstSeq, lastSeq, count },
    omitted,
    capTokens,
    replacedTokens: mustShrink ? replaced : undefined,
    tokensBefore,
    keepsDepth: need.atDepthCap === "fold",
    reason: need.reason,
  };
}
