/**
 * The staircase: step after step on a tentative view until the prompt is as small as asked, then without the steps
 * that turned out not to be needed. It is a generator that rests between pieces of work, because counting a large text
 * takes longer than an event loop may be held up.
 *
 * It changes nothing and calls nobody: the outcome is a proposal, or the floor that cannot be made smaller.
 */
import { viewFloorSeq } from "../log/head.ts";
import type { Prune } from "../log/prune.ts";
import { reviseView, type View } from "../log/view.ts";
import { wholeHead } from "../message/whole-text.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { dropOldest, findWishedTail } from "./drop-oldest.ts";
import { findCuts, findOversized } from "./find-cuts.ts";
import { findPrunesInSteps } from "./find-prunes.ts";
import { type Change, type DoesNotFit, foldChanges, type Proposal, type StepName } from "./proposal.ts";
import { extendTentative, replayTentative, startTentative, type Tentative } from "./tentative.ts";

/** Messages from here on are counted in steps before their parts are asked for. */
const LARGE_TOKENS = 1_000;

export function* proposeCompaction(view: View, need: CompactionNeed): Generator<undefined, Proposal | DoesNotFit> {
  for (const item of view.messages) if (item.tokens >= LARGE_TOKENS) yield* need.countAhead(item.message);
  const start = startTentative(view, need);
  let now = yield* cutOversized(start, need);
  if (now.tokens > need.targetTokens) now = yield* prune(now, need);
  if (now.tokens > need.targetTokens) now = dropOldest(now, need);
  if (now.tokens > need.limitTokens) now = yield* cut(now, need);
  while (now.tokens > need.limitTokens) {
    const lighter = unpinOldest(now, need);
    if (lighter === undefined) return floorOf(now, need);
    now = lighter.tokens > need.limitTokens ? yield* cut(lighter, need) : lighter;
  }
  const { changes, tokens } = withoutNeedlessPrunes(start, now, need);
  const steps = nameSteps(changes, findWishedTailSeq(start, need));
  return { type: "proposal", changes, steps, tokensBefore: start.tokens, tokensAfter: tokens };
}

/** What cannot be sent whole whatever else goes is cut first, to half the target, so that the rest keeps its room. */
function* cutOversized(from: Tentative, need: CompactionNeed): Generator<undefined, Tentative> {
  const shown = [...from.view.kept, ...from.view.messages].reduce((sum, item) => sum + item.tokens, 0);
  const roomTokens = Math.max(0, need.limitTokens - Math.max(0, from.tokens - shown));
  const levelTokens = Math.floor(need.targetTokens / 2);
  const prunes = findOversized(from.view, { roomTokens, levelTokens, countPart: need.countPart });
  return prunes.length === 0 ? from : yield* applyCuts(from, prunes, need);
}

function* prune(from: Tentative, need: CompactionNeed): Generator<undefined, Tentative> {
  const { settings, countPart, reason } = need;
  // A turn of many rounds is one exchange: its older output is what there is to prune.
  const tailStart = findWishedTail(from, need, { exchanges: 0 });
  const prunes = yield* findPrunesInSteps(from.view.messages, { tailStart, settings: settings.prune, countPart });
  return prunes.length === 0 ? from : extendTentative(from, { type: "prune", prunes, reason }, need);
}

function* cut(from: Tentative, need: CompactionNeed): Generator<undefined, Tentative> {
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

function* applyCuts(from: Tentative, prunes: readonly Prune[], need: CompactionNeed): Generator<undefined, Tentative> {
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
  if (!end.changes.some(({ type }) => type === "truncate")) return end;
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
function findWishedTailSeq(start: Tentative, need: CompactionNeed): number {
  return start.view.messages[findWishedTail(start, need)]?.seq ?? Number.POSITIVE_INFINITY;
}

const STAIRCASE: readonly StepName[] = ["prune", "truncate", "shrink-tail", "cut", "unpin"];

function nameSteps(changes: readonly Change[], wishedTailSeq: number): readonly StepName[] {
  const taken = changes.map((change): StepName => {
    if (change.type === "prune") return change.prunes[0]?.fate === "cut" ? "cut" : "prune";
    if (change.type === "truncate") return change.coverage.lastSeq < wishedTailSeq ? "truncate" : "shrink-tail";
    return "unpin";
  });
  return STAIRCASE.filter((step) => taken.includes(step));
}

function floorOf(now: Tentative, need: CompactionNeed): DoesNotFit {
  const parts = need.describeFloor(now.view);
  return { type: "does-not-fit", floor: { limitTokens: need.limitTokens, floorTokens: now.tokens, parts } };
}
