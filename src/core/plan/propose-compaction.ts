/**
 * The staircase: applies step after step to a tentative view until the prompt is small enough, then removes needless
 * prunes. It does not change the log. It yields between pieces of work, and yields requests to its caller.
 */
import { findViewFloorSeq } from "../log/head.ts";
import type { Prune } from "../log/prune.ts";
import { reviseView, type View } from "../log/view.ts";
import { takeHead } from "../message/whole-text.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { dropBefore, dropBeforeTail, dropOldest, findFoldableBorders } from "./drop-oldest.ts";
import { weighChange } from "./economic-gate.ts";
import { findCuts, findOversizedCuts } from "./find-cuts.ts";
import { findPrunesInSteps } from "./find-prunes.ts";
import { findLastRequests, findPreferredTail } from "./find-tail.ts";
import { type FoldOutcome, foldOldest } from "./fold-oldest.ts";
import {
  type Change,
  type DoesNotFit,
  foldChanges,
  type NothingToDo,
  type Proposal,
  type StepName,
} from "./proposal.ts";
import type { Staircase } from "./staircase.ts";
import {
  extendTentativeView,
  replayTentativeView,
  startTentativeView,
  sumTokens,
  type TentativeView,
} from "./tentative-view.ts";

/** Messages of at least this size are counted in advance, in steps. */
const LARGE_TOKENS = 1_000;
/** With less free room, parts are not cut again. */
const MIN_FREE_TOKENS = 32;

export type ProposalOutcome = Proposal | DoesNotFit | NothingToDo;

export function* proposeCompaction(view: View, need: CompactionNeed): Staircase<ProposalOutcome> {
  for (const item of view.messages) if (item.tokens >= LARGE_TOKENS) yield* need.countAhead(item.message);
  if (need.measureAhead !== undefined) yield* need.measureAhead(view);
  const start = startTentativeView(view, need);
  const pruned = yield* pruneInstead(start, need);
  if (pruned !== undefined) return createProposal(start, pruned, need);
  if (need.urgency === "hard") return yield* applyHardSteps(start, need);
  const proposed = yield* applySoftSteps(start, need);
  // Repair omits parts of a broken history, so even placeholders can make the prompt larger.
  const isLarger = proposed.type === "proposal" && proposed.tokensAfter >= proposed.tokensBefore;
  if (!isLarger || need.settings.shrinksBy !== "tokens") return proposed;
  return { type: "nothing", reason: "A compaction would not make the prompt smaller." };
}

/** Skips a paid summary if placeholders alone make enough room. */
function* pruneInstead(start: TentativeView, need: CompactionNeed): Staircase<TentativeView | undefined> {
  const { enoughRatio } = need.settings.prune;
  if (need.isPriced !== true || enoughRatio === undefined) return undefined;
  const pruned = yield* prune(start, need);
  const isSmaller = pruned !== start && pruned.tokens < start.tokens;
  return isSmaller && pruned.tokens <= need.limitTokens * enoughRatio ? pruned : undefined;
}

/** Applies the steps for a soft need, which leave the tail unchanged. */
function* applySoftSteps(start: TentativeView, need: CompactionNeed): Staircase<ProposalOutcome> {
  const pruned = need.settings.pruneFirst ? yield* prune(start, need) : start;
  const isEnough = pruned !== start && pruned.tokens <= need.targetTokens;
  const { now, failure } = isEnough ? { now: pruned } : yield* foldOrTruncate(pruned, need);
  if (failure !== undefined || now === start) {
    return { type: "nothing", reason: failure ?? "There is nothing to make smaller." };
  }
  return createProposal(start, now, need);
}

function* foldOrTruncate(from: TentativeView, need: CompactionNeed): Staircase<FoldOutcome> {
  if (!need.maySummarize) return { now: from, failure: "No summary may be requested now." };
  return need.atDepthCap === "truncate" ? { now: dropBeforeTail(from, need) } : yield* foldOldest(from, need);
}

function* applyHardSteps(start: TentativeView, need: CompactionNeed): Staircase<ProposalOutcome> {
  const least = need.mayShed === true ? yield* findSmallestView(start, need) : start;
  if (shouldShed(least, need)) return createFloor(least, need);
  let now = yield* cutOversized(start, need);
  yield undefined;
  const isAbove = () => now.tokens > need.targetTokens;
  const mayFold = need.maySummarize && need.atDepthCap !== "truncate";
  if (isAbove() && need.settings.pruneFirst) now = yield* prune(now, need);
  if ((isAbove() || now === start) && mayFold) {
    const unfittable = yield* findUnfittable(now, need);
    if (unfittable !== undefined) return (yield* retryWithTightSummary(start, need)) ?? unfittable;
    yield undefined;
    now = (yield* foldOldest(now, need)).now;
  }
  yield undefined;
  if (isAbove() && !need.settings.pruneFirst) now = yield* prune(now, need);
  if (isAbove() && !hasCovered(now)) now = dropOldest(now, need);
  if (shouldShed(now, need)) return createFloor(now, need);
  if (now.tokens > need.limitTokens) now = yield* cut(now, need);
  if (now.tokens > need.limitTokens) now = dropOldest(now, need);
  while (now.tokens > need.limitTokens) {
    const lighter = unpinOldest(now, need);
    // A paid summarizer is not called again, because the first request already had a cap that fits.
    const tight =
      lighter === undefined && need.isPriced !== true ? yield* retryWithTightSummary(start, need) : undefined;
    if (lighter === undefined) return tight ?? (yield* proposeWithoutSummary(start, now, need));
    now = lighter.tokens > need.limitTokens ? yield* cut(lighter, need) : lighter;
  }
  return createProposal(start, now, need);
}

/** Workspace files are left out before messages are cut, and before a summary that would not be enough is paid for. */
function shouldShed({ tokens, changes }: TentativeView, need: CompactionNeed): boolean {
  if (need.mayShed !== true || tokens <= need.limitTokens) return false;
  return need.isPriced !== true || changes.every(({ type }) => type !== "summary");
}

/** Replaces a summary that is too large with the line that counts hidden messages. Keeps one with user constraints. */
function* proposeWithoutSummary(
  start: TentativeView,
  smallest: TentativeView,
  need: CompactionNeed,
): Staircase<ProposalOutcome> {
  const summary = smallest.view.head.summary;
  if (summary === undefined || summary.facets.constraints.length > 0) return createFloor(smallest, need);
  let now = dropBefore(start, findFoldableBorders(start).at(-1) ?? 0, need);
  if (now.tokens > need.limitTokens) now = yield* cut(now, need);
  if (now.tokens <= need.limitTokens) return createProposal(start, now, need);
  return createFloor(now.tokens < smallest.tokens ? now : smallest, need);
}

/**
 * Under a policy with `smallTokens`, tries again with a summary that takes only the room that the kept messages leave.
 */
function* retryWithTightSummary(start: TentativeView, need: CompactionNeed): Staircase<ProposalOutcome | undefined> {
  const mayBeSmaller = need.maySummarize && need.settings.summary.smallTokens > 0 && need.isTight !== true;
  return mayBeSmaller ? yield* applyHardSteps(start, { ...need, isTight: true, isSecondPass: true }) : undefined;
}

/** Avoids paying for a summary if the prompt would not fit even without one. */
function* findUnfittable(now: TentativeView, need: CompactionNeed): Staircase<DoesNotFit | undefined> {
  const least = yield* findSmallestView(now, need);
  if (least.tokens <= need.limitTokens) return undefined;
  const without = yield* applyHardSteps(least, { ...need, maySummarize: false });
  return without.type === "does-not-fit" ? without : undefined;
}

/** Returns the view without the current summary and without all messages that can be folded. */
function* findSmallestView(from: TentativeView, need: CompactionNeed): Staircase<TentativeView> {
  const border = findFoldableBorders(from).at(-1) ?? (need.isSecondPass === true ? 0 : undefined);
  yield undefined;
  return border === undefined ? from : dropBefore(from, border, need);
}

function hasCovered({ changes }: TentativeView): boolean {
  return changes.some(({ type }) => type === "summary" || type === "truncate");
}

function createProposal(start: TentativeView, end: TentativeView, need: CompactionNeed): Proposal {
  const { changes, tokens, view } = dropNeedlessPrunes(start, end, need);
  const steps = nameSteps(changes, start, need);
  const weight = weighChange(start, { view, tokens });
  return { type: "proposal", changes, steps, tokensBefore: start.tokens, tokensAfter: tokens, weight };
}

/** Cuts parts that are larger than the room: to half the target, or to more if there is free room below the target. */
function* cutOversized(from: TentativeView, need: CompactionNeed): Staircase<TentativeView> {
  // The current summary will be folded again and needs no room here.
  const { view, tokens } = need.maySummarize ? yield* findSmallestView(from, need) : from;
  yield undefined;
  const shown = sumTokens([...view.kept, ...view.messages]);
  const roomTokens = Math.max(0, need.limitTokens - Math.max(0, tokens - shown));
  const { countPart } = need;
  const half = Math.floor(need.targetTokens / 2);
  const cutAt = (levelTokens: number) => findOversizedCuts(from.view, { roomTokens, levelTokens, countPart });
  const prunes = cutAt(half);
  if (prunes.length === 0) return from;
  const least = yield* applyCuts(from, prunes, need);
  const freeTokens = Math.floor((need.targetTokens - least.tokens) / prunes.length);
  for (const share of [0.95, 0.8, 0.5]) {
    if (freeTokens < MIN_FREE_TOKENS) break;
    const larger = yield* applyCuts(from, cutAt(half + Math.floor(freeTokens * share)), need);
    if (larger.tokens <= need.targetTokens) return larger;
  }
  return least;
}

function* prune(from: TentativeView, need: CompactionNeed): Staircase<TentativeView> {
  const { settings, countPart, reason } = need;
  // A turn with many rounds is one exchange, so its older output can be pruned.
  const tailStart = findPreferredTail(from, need, { exchanges: 0 });
  const found = yield* findPrunesInSteps(from.view.messages, { tailStart, settings: settings.prune, countPart });
  // The last requests stay unchanged, images included; they are cut only if nothing else makes the prompt fit.
  const asked = settings.keepOpenRequest ? findLastRequests(from.view.messages).map(({ seq }) => seq) : [];
  const prunes = found.filter(({ seq }) => !asked.includes(seq) && (hasCovered(from) || need.isFrozen?.(seq) !== true));
  return prunes.length === 0 ? from : extendTentativeView(from, { type: "prune", prunes, reason }, need);
}

function* cut(from: TentativeView, need: CompactionNeed): Staircase<TentativeView> {
  let best = from;
  const { targetTokens, countPart } = need;
  for (const prunes of findCuts(from.view, { goalTokens: targetTokens, shownTokens: from.tokens, countPart })) {
    const tried = yield* applyCuts(from, prunes, need);
    if (tried.tokens < best.tokens) best = tried;
    if (best.tokens <= need.limitTokens) return best;
    yield;
  }
  return best;
}

function* applyCuts(from: TentativeView, prunes: readonly Prune[], need: CompactionNeed): Staircase<TentativeView> {
  const change: Change = { type: "prune", prunes, reason: need.reason };
  const { messages } = reviseView(from.view, foldChanges(from.view.head, [change]), { count: () => 0 });
  for (const { fate, shown } of messages) if (fate === "cut") yield* need.countAhead(shown);
  return extendTentativeView(from, change, need);
}

/** Removes the oldest pin as a last resort, and pins a note with its first words. */
function unpinOldest(from: TentativeView, need: CompactionNeed): TentativeView | undefined {
  const oldest = from.view.head.pins.find((pin) => pin.target.type === "messages");
  if (oldest === undefined || oldest.target.type !== "messages") return undefined;
  const { messageId } = oldest.target;
  const pinned = [...from.view.kept, ...from.view.messages].find((item) => item.message.id === messageId);
  const words = pinned?.message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ") ?? "";
  const released = extendTentativeView(from, { type: "unpin", pinIds: [oldest.id], reason: need.reason }, need);
  if (words === "") return released;
  const note: Change = { type: "pin", target: { type: "note", text: takeHead(words, 200), messageId } };
  const noted = extendTentativeView(released, note, need);
  return noted.tokens < from.tokens ? noted : released;
}

/** Removes prunes of covered messages, and all prunes if the rest of the proposal is enough. */
function dropNeedlessPrunes(start: TentativeView, end: TentativeView, need: CompactionNeed): TentativeView {
  if (!hasCovered(end)) return end;
  const isPruning = (change: Change) => change.type === "prune" && change.prunes[0]?.fate === "pruned";
  const without = replayTentativeView(
    start,
    end.changes.filter((change) => !isPruning(change)),
    need,
  );
  if (without.tokens <= need.targetTokens) return without;
  const { head } = end.view;
  const isShown = ({ seq }: Prune) => seq > findViewFloorSeq(head) || head.keptRequests.includes(seq);
  const changes = end.changes.flatMap((change): Change[] => {
    if (change.type !== "prune") return [change];
    const prunes = change.prunes.filter(isShown);
    return prunes.length === 0 ? [] : [{ ...change, prunes }];
  });
  return replayTentativeView(start, changes, need);
}

const STAIRCASE: readonly StepName[] = ["summarise", "prune", "truncate", "shrink-tail", "cut", "unpin"];

/** Lists the steps that the changes consist of. A change inside the preferred tail counts as `shrink-tail`. */
export function nameSteps(
  changes: readonly Change[],
  start: Pick<TentativeView, "view">,
  need: CompactionNeed,
): readonly StepName[] {
  const preferredTailSeq = start.view.messages[findPreferredTail(start, need)]?.seq ?? Number.POSITIVE_INFINITY;
  const taken = changes.flatMap((change): readonly StepName[] => {
    if (change.type === "prune") return [change.prunes[0]?.fate === "cut" ? "cut" : "prune"];
    if (change.type === "truncate") return [change.coverage.lastSeq < preferredTailSeq ? "truncate" : "shrink-tail"];
    if (change.type !== "summary") return ["unpin"];
    return change.record.coverage.lastSeq < preferredTailSeq ? ["summarise"] : ["summarise", "shrink-tail"];
  });
  return STAIRCASE.filter((step) => taken.includes(step));
}

function createFloor(now: TentativeView, need: CompactionNeed): DoesNotFit {
  const parts = need.describeFloor(now.view);
  return { type: "does-not-fit", floor: { limitTokens: need.limitTokens, floorTokens: now.tokens, parts } };
}
