/**
 * The staircase: step after step on a tentative view until the prompt is as small as asked, then without the steps
 * that turned out not to be needed. It is a generator that rests between pieces of work, because counting a large text
 * takes longer than an event loop may be held up.
 *
 * It changes nothing and calls nobody: what it cannot know it asks of whoever drives it. The outcome is a proposal, the
 * floor that cannot be made smaller, or that nothing is worth doing.
 */
import { viewFloorSeq } from "../log/head.ts";
import type { Prune } from "../log/prune.ts";
import { reviseView, type View } from "../log/view.ts";
import { wholeHead } from "../message/whole-text.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { dropBefore, dropBeforeTail, dropOldest, foldableBorders } from "./drop-oldest.ts";
import { weighChange } from "./economic-gate.ts";
import { findCuts, findOversized } from "./find-cuts.ts";
import { findPrunesInSteps } from "./find-prunes.ts";
import { findLastRequests, findWishedTail } from "./find-tail.ts";
import { type Folded, foldOldest } from "./fold-oldest.ts";
import {
  type Change,
  type DoesNotFit,
  foldChanges,
  type NothingToDo,
  type Proposal,
  type StepName,
} from "./proposal.ts";
import type { Staircase } from "./staircase.ts";
import { extendTentative, replayTentative, startTentative, type Tentative } from "./tentative-view.ts";

/** Messages from here on are counted in steps before their parts are asked for. */
const LARGE_TOKENS = 1_000;
/** Less room than this is not worth another cut. */
const LEAST_FREE_TOKENS = 32;

export type Proposed = Proposal | DoesNotFit | NothingToDo;

export function* proposeCompaction(view: View, need: CompactionNeed): Staircase<Proposed> {
  for (const item of view.messages) if (item.tokens >= LARGE_TOKENS) yield* need.countAhead(item.message);
  if (need.measureAhead !== undefined) yield* need.measureAhead(view);
  const start = startTentative(view, need);
  const pruned = yield* pruneInstead(start, need);
  if (pruned !== undefined) return proposalOf(start, pruned, need);
  if (need.need === "hard") return yield* climb(start, need);
  const proposed = yield* climbSoftly(start, need);
  // What a broken history shows is less than its messages say, so that even placeholders can make it larger.
  const isLarger = proposed.type === "proposal" && proposed.tokensAfter >= proposed.tokensBefore;
  if (!isLarger || need.settings.shrinksBy !== "tokens") return proposed;
  return { type: "nothing", reason: "Nothing would be smaller." };
}

/** What a model would have to be paid for need not be asked where placeholders alone make enough room. */
function* pruneInstead(start: Tentative, need: CompactionNeed): Staircase<Tentative | undefined> {
  const { enoughRatio } = need.settings.prune;
  if (need.isPriced !== true || enoughRatio === undefined) return undefined;
  const pruned = yield* prune(start, need);
  const isSmaller = pruned !== start && pruned.tokens < start.tokens;
  return isSmaller && pruned.tokens <= need.limitTokens * enoughRatio ? pruned : undefined;
}

/** Worth doing: what was said last stays as it is. */
function* climbSoftly(start: Tentative, need: CompactionNeed): Staircase<Proposed> {
  const pruned = need.settings.pruneFirst ? yield* prune(start, need) : start;
  const isEnough = pruned !== start && pruned.tokens <= need.targetTokens;
  const { now, failure } = isEnough ? { now: pruned } : yield* coverSoftly(pruned, need);
  if (failure !== undefined || now === start) {
    return { type: "nothing", reason: failure ?? "There is nothing to make smaller." };
  }
  return proposalOf(start, now, need);
}

function* coverSoftly(from: Tentative, need: CompactionNeed): Staircase<Folded> {
  if (!need.mayAsk) return { now: from, failure: "Nobody may be asked for a summary." };
  return need.atDepthCap === "truncate" ? { now: dropBeforeTail(from, need) } : yield* foldOldest(from, need);
}

function* climb(start: Tentative, need: CompactionNeed): Staircase<Proposed> {
  const least = need.mayShed === true ? yield* findLeast(start, need) : start;
  if (wantsShedding(least, need)) return floorOf(least, need);
  let now = yield* cutOversized(start, need);
  yield undefined;
  const isAbove = () => now.tokens > need.targetTokens;
  const mayFold = need.mayAsk && need.atDepthCap !== "truncate";
  if (isAbove() && need.settings.pruneFirst) now = yield* prune(now, need);
  if ((isAbove() || now === start) && mayFold) {
    const hopeless = yield* findHopeless(now, need);
    if (hopeless !== undefined) return (yield* climbTightly(start, need)) ?? hopeless;
    yield undefined;
    now = (yield* foldOldest(now, need)).now;
  }
  yield undefined;
  if (isAbove() && !need.settings.pruneFirst) now = yield* prune(now, need);
  if (isAbove() && !hasCovered(now)) now = dropOldest(now, need);
  if (wantsShedding(now, need)) return floorOf(now, need);
  if (now.tokens > need.limitTokens) now = yield* cut(now, need);
  if (now.tokens > need.limitTokens) now = dropOldest(now, need);
  while (now.tokens > need.limitTokens) {
    const lighter = unpinOldest(now, need);
    // Whoever is paid is not asked again: they were asked for what fits.
    const tight = lighter === undefined && need.isPriced !== true ? yield* climbTightly(start, need) : undefined;
    if (lighter === undefined) return tight ?? (yield* climbWithoutSummary(start, now, need));
    now = lighter.tokens > need.limitTokens ? yield* cut(lighter, need) : lighter;
  }
  return proposalOf(start, now, need);
}

/** What stands beside the conversation gives way before words of it are cut, and before somebody is paid in vain. */
function wantsShedding({ tokens, changes }: Tentative, need: CompactionNeed): boolean {
  if (need.mayShed !== true || tokens <= need.limitTokens) return false;
  return need.isPriced !== true || changes.every(({ type }) => type !== "summary");
}

/**
 * Where even a small summary is too large, the line that says what is missing stands in its place. Rules that somebody
 * set are not given up for room: then the floor is what it is with them.
 */
function* climbWithoutSummary(start: Tentative, smallest: Tentative, need: CompactionNeed): Staircase<Proposed> {
  const summary = smallest.view.head.summary;
  if (summary === undefined || summary.facets.constraints.length > 0) return floorOf(smallest, need);
  let now = dropBefore(start, foldableBorders(start).at(-1) ?? 0, need);
  if (now.tokens > need.limitTokens) now = yield* cut(now, need);
  if (now.tokens <= need.limitTokens) return proposalOf(start, now, need);
  return floorOf(now.tokens < smallest.tokens ? now : smallest, need);
}

/** A summary that may be large in a small prompt is tried once more with the room that is left beside all else. */
function* climbTightly(start: Tentative, need: CompactionNeed): Staircase<Proposed | undefined> {
  const mayBeSmaller = need.mayAsk && need.settings.summary.smallTokens > 0 && need.isTight !== true;
  return mayBeSmaller ? yield* climb(start, { ...need, isTight: true, isSecondPass: true }) : undefined;
}

/** Nobody is asked, and paid, for a summary of what could not be sent even without one. */
function* findHopeless(now: Tentative, need: CompactionNeed): Staircase<DoesNotFit | undefined> {
  const least = yield* findLeast(now, need);
  if (least.tokens <= need.limitTokens) return undefined;
  const without = yield* climb(least, { ...need, mayAsk: false });
  return without.type === "does-not-fit" ? without : undefined;
}

/** What no summary can stand for, with the one that is there gone too. */
function* findLeast(from: Tentative, need: CompactionNeed): Staircase<Tentative> {
  const border = foldableBorders(from).at(-1) ?? (need.isSecondPass === true ? 0 : undefined);
  yield undefined;
  return border === undefined ? from : dropBefore(from, border, need);
}

function hasCovered({ changes }: Tentative): boolean {
  return changes.some(({ type }) => type === "summary" || type === "truncate");
}

function proposalOf(start: Tentative, end: Tentative, need: CompactionNeed): Proposal {
  const { changes, tokens, view } = withoutNeedlessPrunes(start, end, need);
  const steps = namesOfSteps(changes, start, need);
  const weight = weighChange(start, { view, tokens });
  return { type: "proposal", changes, steps, tokensBefore: start.tokens, tokensAfter: tokens, weight };
}

/**
 * Parts that cannot be sent whole, whatever else goes, are cut first: to the room that the rest leaves below the target,
 * or to half the target where the rest takes more and is going to be folded.
 */
function* cutOversized(from: Tentative, need: CompactionNeed): Staircase<Tentative> {
  // A summary that is going to be folded again keeps no room from what was said.
  const { view, tokens } = need.mayAsk ? yield* findLeast(from, need) : from;
  yield undefined;
  const shown = [...view.kept, ...view.messages].reduce((sum, item) => sum + item.tokens, 0);
  const roomTokens = Math.max(0, need.limitTokens - Math.max(0, tokens - shown));
  const { countPart } = need;
  const half = Math.floor(need.targetTokens / 2);
  const cutAt = (levelTokens: number) => findOversized(from.view, { roomTokens, levelTokens, countPart });
  const prunes = cutAt(half);
  if (prunes.length === 0) return from;
  const least = yield* applyCuts(from, prunes, need);
  const freeTokens = Math.floor((need.targetTokens - least.tokens) / prunes.length);
  for (const share of [0.95, 0.8, 0.5]) {
    if (freeTokens < LEAST_FREE_TOKENS) break;
    const larger = yield* applyCuts(from, cutAt(half + Math.floor(freeTokens * share)), need);
    if (larger.tokens <= need.targetTokens) return larger;
  }
  return least;
}

function* prune(from: Tentative, need: CompactionNeed): Staircase<Tentative> {
  const { settings, countPart, reason } = need;
  // A turn of many rounds is one exchange: its older output is what there is to prune.
  const tailStart = findWishedTail(from, need, { exchanges: 0 });
  const found = yield* findPrunesInSteps(from.view.messages, { tailStart, settings: settings.prune, countPart });
  // What the user asked last stays as it was asked, pictures and all; only what does not fit otherwise is cut.
  const asked = settings.keepOpenRequest ? findLastRequests(from.view.messages).map(({ seq }) => seq) : [];
  const isFolded = from.changes.some(({ type }) => type === "summary" || type === "truncate");
  const prunes = found.filter(({ seq }) => !asked.includes(seq) && (isFolded || need.isFrozen?.(seq) !== true));
  return prunes.length === 0 ? from : extendTentative(from, { type: "prune", prunes, reason }, need);
}

function* cut(from: Tentative, need: CompactionNeed): Staircase<Tentative> {
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

function* applyCuts(from: Tentative, prunes: readonly Prune[], need: CompactionNeed): Staircase<Tentative> {
  const change: Change = { type: "prune", prunes, reason: need.reason };
  const { messages } = reviseView(from.view, foldChanges(from.view.head, [change]), { count: () => 0 });
  for (const { fate, shown } of messages) if (fate === "cut") yield* need.countAhead(shown);
  return extendTentative(from, change, need);
}

/** Pins give way when nothing else can: the oldest becomes a note of its first words. */
function unpinOldest(from: Tentative, need: CompactionNeed): Tentative | undefined {
  const oldest = from.view.head.pins.find((pin) => pin.target.type === "messages");
  if (oldest === undefined || oldest.target.type !== "messages") return undefined;
  const { messageId } = oldest.target;
  const pinned = [...from.view.kept, ...from.view.messages].find((item) => item.message.id === messageId);
  const words = pinned?.message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ") ?? "";
  const released = extendTentative(from, { type: "unpin", pinIds: [oldest.id], reason: need.reason }, need);
  if (words === "") return released;
  const note: Change = { type: "pin", target: { type: "note", text: wholeHead(words, 200), messageId } };
  const noted = extendTentative(released, note, need);
  return noted.tokens < from.tokens ? noted : released;
}

/** Prunes of what is covered anyway go; so do all others where the rest of the proposal is enough. */
function withoutNeedlessPrunes(start: Tentative, end: Tentative, need: CompactionNeed): Tentative {
  if (!hasCovered(end)) return end;
  const isPruning = (change: Change) => change.type === "prune" && change.prunes[0]?.fate === "pruned";
  const without = replayTentative(
    start,
    end.changes.filter((change) => !isPruning(change)),
    need,
  );
  if (without.tokens <= need.targetTokens) return without;
  const { head } = end.view;
  const isShown = ({ seq }: Prune) => seq > viewFloorSeq(head) || head.keptRequests.includes(seq);
  const changes = end.changes.flatMap((change): Change[] => {
    if (change.type !== "prune") return [change];
    const prunes = change.prunes.filter(isShown);
    return prunes.length === 0 ? [] : [{ ...change, prunes }];
  });
  return replayTentative(start, changes, need);
}

/** The seq of the first message of the tail that the policy wishes for. */
function findWishedTailSeq(start: Pick<Tentative, "view">, need: CompactionNeed): number {
  return start.view.messages[findWishedTail(start, need)]?.seq ?? Number.POSITIVE_INFINITY;
}

const STAIRCASE: readonly StepName[] = ["summarise", "prune", "truncate", "shrink-tail", "cut", "unpin"];

/** The steps that changes amount to. What goes out of the tail that the policy wishes for has a name of its own. */
export function namesOfSteps(
  changes: readonly Change[],
  start: Pick<Tentative, "view">,
  need: CompactionNeed,
): readonly StepName[] {
  const wishedTailSeq = findWishedTailSeq(start, need);
  const taken = changes.flatMap((change): readonly StepName[] => {
    if (change.type === "prune") return [change.prunes[0]?.fate === "cut" ? "cut" : "prune"];
    if (change.type === "truncate") return [change.coverage.lastSeq < wishedTailSeq ? "truncate" : "shrink-tail"];
    if (change.type !== "summary") return ["unpin"];
    return change.record.coverage.lastSeq < wishedTailSeq ? ["summarise"] : ["summarise", "shrink-tail"];
  });
  return STAIRCASE.filter((step) => taken.includes(step));
}

function floorOf(now: Tentative, need: CompactionNeed): DoesNotFit {
  const parts = need.describeFloor(now.view);
  return { type: "does-not-fit", floor: { limitTokens: need.limitTokens, floorTokens: now.tokens, parts } };
}
