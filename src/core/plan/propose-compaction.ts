/**
 * The staircase: step after step on a tentative view until the prompt is as small as asked, then without the steps
 * that turned out not to be needed. It is a generator that rests between pieces of work, because counting a large text
 * takes longer than an event loop may be held up.
 *
 * It changes nothing and calls nobody: the outcome is a proposal, or the floor that cannot be made smaller.
 */
import { type Head, viewFloorSeq } from "../log/head.ts";
import { reviseView, type View } from "../log/view.ts";
import type { Message, Part } from "../message/message.ts";
import { findCuts } from "./find-cuts.ts";
import { findPrunes } from "./find-prunes.ts";
import { findLastRequests, findLeastTail, findTail, roundBorders } from "./find-tail.ts";
import type { PlanSettings } from "./plan-settings.ts";
import { type Change, type DoesNotFit, type Floor, foldChanges, type Proposal, type StepName } from "./proposal.ts";

export interface CompactionNeed {
  /** What the whole prompt may take. */
  readonly limitTokens: number;
  /** How small it should get. */
  readonly targetTokens: number;
  readonly settings: PlanSettings;
  readonly reason: string;
  /** Tokens of the whole prompt that shows this view, instructions and tools included. */
  readonly measure: (view: View) => number;
  readonly count: (message: Message) => number;
  readonly countPart: (part: Part, message: Message) => number;
  /** Makes `count` and `countPart` cheap for this message, resting in between. */
  readonly countAhead: (message: Message) => Generator<undefined, void>;
  /** What the floor is made of, for a view that is as small as it gets. */
  readonly describeFloor: (view: View) => Floor["parts"];
}

/** Messages from here on are counted in steps before their parts are asked for. */
const LARGE_TOKENS = 1_000;

interface Tentative {
  readonly view: View;
  readonly changes: readonly Change[];
  readonly steps: readonly StepName[];
  readonly tokens: number;
}

export function* proposeCompaction(view: View, need: CompactionNeed): Generator<undefined, Proposal | DoesNotFit> {
  for (const item of view.messages) if (item.tokens >= LARGE_TOKENS) yield* need.countAhead(item.message);
  const start: Tentative = { view, changes: [], steps: [], tokens: need.measure(view) };
  let now = prune(start, need);
  if (now.tokens > need.targetTokens)
    now = truncate(now, { need, step: "truncate", tailStart: wishedTail(view, need) });
  if (now.tokens > need.targetTokens) now = truncate(now, { need, step: "shrink-tail", tailStart: findLeastTail });
  if (now.tokens > need.limitTokens) now = yield* cut(now, need);
  while (now.tokens > need.limitTokens) {
    const lighter = unpinOldest(now, need);
    if (lighter === undefined) return floorOf(now, need);
    now = lighter.tokens > need.limitTokens ? yield* cut(lighter, need) : lighter;
  }
  const least = withoutNeedlessPrunes(start, now, need);
  return {
    type: "proposal",
    changes: least.changes,
    steps: least.steps,
    tokensBefore: start.tokens,
    tokensAfter: least.tokens,
  };
}

function prune(from: Tentative, need: CompactionNeed): Tentative {
  const tailStart = wishedTail(from.view, need)(from.view.messages);
  const { settings, countPart, reason } = need;
  const prunes = findPrunes(from.view.messages, { tailStart, settings: settings.prune, countPart });
  return prunes.length === 0 ? from : extend(from, { need, step: "prune", change: { type: "prune", prunes, reason } });
}

type TailStart = (messages: View["messages"]) => number;

function wishedTail(view: View, need: CompactionNeed): TailStart {
  const { tail } = need.settings;
  const tokens = Math.max(tail.tokens ?? 0, Math.floor(need.limitTokens * (tail.ratio ?? 0)));
  return () => findTail(view.messages, { ...tail, tokens });
}

interface TruncateOptions {
  readonly need: CompactionNeed;
  readonly step: "truncate" | "shrink-tail";
  readonly tailStart: TailStart;
}

/** Drops the fewest of the oldest rounds that reach the target, or all before the tail where none does. */
function truncate(from: Tentative, { need, step, tailStart }: TruncateOptions): Tentative {
  const last = tailStart(from.view.messages);
  const borders = roundBorders(from.view.messages).filter((border) => border > 0 && border <= last);
  if (borders.length === 0) return from;
  const at = (index: number) => dropBefore(from, { need, step, border: borders[index] ?? last });
  let [low, high] = [0, borders.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (at(middle).tokens <= need.targetTokens) high = middle;
    else low = middle + 1;
  }
  const found = at(low);
  return found.tokens < from.tokens ? found : from;
}

interface DropOptions {
  readonly need: CompactionNeed;
  readonly step: "truncate" | "shrink-tail";
  readonly border: number;
}

function dropBefore(from: Tentative, { need, step, border }: DropOptions): Tentative {
  const { head, messages } = from.view;
  const dropped = messages.slice(0, border);
  const coverage = {
    firstSeq: head.truncation?.coverage.firstSeq ?? dropped[0]?.seq ?? viewFloorSeq(head) + 1,
    lastSeq: dropped.at(-1)?.seq ?? viewFloorSeq(head),
    count: (head.truncation?.coverage.count ?? 0) + dropped.length,
  };
  const tokens = dropped.reduce((sum, item) => sum + need.count(item.message), 0);
  const coveredTokens = (head.truncation?.coveredTokens ?? 0) + tokens;
  const keptRequests = findLastRequests([...from.view.kept, ...messages])
    .map(({ seq }) => seq)
    .filter((seq) => seq <= coverage.lastSeq);
  const change = { type: "truncate", coverage, coveredTokens, keptRequests, reason: need.reason } as const;
  return extend(from, { need, step, change });
}

function* cut(from: Tentative, need: CompactionNeed): Generator<undefined, Tentative> {
  let best = from;
  const levels = findCuts(from.view, { goalTokens: need.targetTokens, shownTokens: from.tokens, ...need });
  for (const prunes of levels) {
    const step = { need, step: "cut", change: { type: "prune", prunes, reason: need.reason } } as const;
    for (const message of cutMessages(from.view, foldChanges(from.view.head, [step.change])))
      yield* need.countAhead(message);
    const tried = extend(from, step);
    if (tried.tokens < best.tokens) best = tried;
    if (best.tokens <= need.limitTokens) return best;
    yield;
  }
  return best;
}

function cutMessages(view: View, head: Head): readonly Message[] {
  return reviseView(view, head, { count: () => 0 }).messages.flatMap(({ fate, shown }) =>
    fate === "cut" ? [shown] : [],
  );
}

/** Pins give way when nothing else can: the oldest becomes a note of its first words. */
function unpinOldest(from: Tentative, need: CompactionNeed): Tentative | undefined {
  const oldest = from.view.head.pins.find((pin) => pin.target.type === "messages");
  if (oldest === undefined || oldest.target.type !== "messages") return undefined;
  const { messageId } = oldest.target;
  const pinned = [...from.view.kept, ...from.view.messages].find((item) => item.message.id === messageId);
  const words = pinned?.message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ") ?? "";
  const unpin: Change = { type: "unpin", pinIds: [oldest.id], reason: need.reason };
  const released = extend(from, { need, step: "unpin", change: unpin });
  if (words === "") return released;
  const note: Change = { type: "pin", target: { type: "note", text: words.slice(0, 200) } };
  const noted = extend(released, { need, step: "unpin", change: note });
  return noted.tokens < from.tokens ? noted : released;
}

interface Extension {
  readonly need: CompactionNeed;
  readonly step: StepName;
  readonly change: Change;
}

function extend(from: Tentative, { need, step, change }: Extension): Tentative {
  const head = foldChanges(from.view.head, [change]);
  const view = reviseView(from.view, head, { count: need.count });
  const changes = withoutReplaced(from.changes, change);
  return {
    view,
    changes: [...changes, change],
    steps: [...new Set([...from.steps, step])],
    tokens: need.measure(view),
  };
}

/** A wider truncation stands for the one before it. */
function withoutReplaced(changes: readonly Change[], next: Change): readonly Change[] {
  return next.type === "truncate" ? changes.filter((change) => change.type !== "truncate") : changes;
}

/** Prunes of what is covered anyway go; so do all others where the rest of the proposal is enough. */
function withoutNeedlessPrunes(start: Tentative, end: Tentative, need: CompactionNeed): Tentative {
  if (!end.steps.some((step) => step === "truncate" || step === "shrink-tail")) return end;
  const isPruning = (change: Change) => change.type === "prune" && change.prunes[0]?.fate === "pruned";
  const without = replay(start, { changes: end.changes.filter((change) => !isPruning(change)), need });
  if (without.tokens <= need.targetTokens) return { ...without, steps: end.steps.filter((step) => step !== "prune") };
  const covered = viewFloorSeq(end.view.head);
  const changes = end.changes.flatMap((change): Change[] => {
    if (change.type !== "prune") return [change];
    const prunes = change.prunes.filter((candidate) => candidate.seq > covered);
    return prunes.length === 0 ? [] : [{ ...change, prunes }];
  });
  return { ...replay(start, { changes, need }), steps: end.steps };
}

function replay(start: Tentative, { changes, need }: { changes: readonly Change[]; need: CompactionNeed }): Tentative {
  const view = reviseView(start.view, foldChanges(start.view.head, changes), { count: need.count });
  return { view, changes, steps: start.steps, tokens: need.measure(view) };
}

function floorOf(now: Tentative, need: CompactionNeed): DoesNotFit {
  const parts = need.describeFloor(now.view);
  return { type: "does-not-fit", floor: { limitTokens: need.limitTokens, floorTokens: now.tokens, parts } };
}
