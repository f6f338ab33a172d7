/** Finds where the tail begins, always between rounds. Of several measures, the one that keeps the most applies. */
import type { ViewMessage } from "../log/view.ts";
import { findNewestTurn, findTurnStart, groupRoundsBy } from "../message/group-messages.ts";
import { hasText } from "../message/message-text.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import type { TailMeasures } from "./plan-settings.ts";
import type { TentativeView } from "./tentative-view.ts";

/** Returns the index of the tail's first message, or the length of the view if every measure is zero. */
export function findTail(messages: readonly ViewMessage[], measures: TailMeasures): number {
  const known = KNOWN_TAILS.get(messages) ?? new Map<string, number>();
  KNOWN_TAILS.set(messages, known);
  const { messages: count, textMessages, tokens, exchanges, rounds } = measures;
  // A view only grows at its end, so the same length means the same view.
  const key = [messages.length, count, textMessages, tokens, exchanges, rounds].join();
  const start = known.get(key) ?? computeTail(messages, measures);
  known.set(key, start);
  return start;
}

/** Cached, because the steps of a compaction need the tail of the same view several times. */
const KNOWN_TAILS = new WeakMap<readonly ViewMessage[], Map<string, number>>();

function computeTail(messages: readonly ViewMessage[], measures: TailMeasures): number {
  const starts = [
    messages.length - (measures.messages ?? 0),
    findStartByTextMessages(messages, measures.textMessages ?? 0),
    findStartByTokens(messages, measures.tokens ?? 0),
    findStartByTurns(messages, measures.exchanges ?? 0),
    findStartByRounds(messages, measures.rounds ?? 0),
  ];
  return findRoundBorderAt(messages, Math.max(0, Math.min(...starts)));
}

/** Returns the start of the round that contains the message at `index`. */
export function findRoundBorderAt(messages: readonly ViewMessage[], index: number): number {
  return findRoundBorders(messages).findLast((border) => border <= index) ?? 0;
}

/** Lists every index at which a round begins, and the end: the places where a view may be cut. */
export function findRoundBorders(messages: readonly ViewMessage[]): readonly number[] {
  const known = KNOWN_BORDERS.get(messages);
  // A view only grows at its end.
  if (known?.at(-1) === messages.length) return known;
  const borders = findBorders(messages);
  KNOWN_BORDERS.set(messages, borders);
  return borders;
}

/** Cached, because a step needs the borders of one view many times and a view can be very long. */
const KNOWN_BORDERS = new WeakMap<readonly ViewMessage[], readonly number[]>();

function findBorders(messages: readonly ViewMessage[]): readonly number[] {
  const borders = [0];
  for (const round of groupRoundsBy(messages, ({ message }) => message)) {
    borders.push((borders.at(-1) ?? 0) + round.items.length);
  }
  return borders;
}

/** Returns the start of the newest round, which every step must keep besides the last two requests. */
export function findLeastTail(messages: readonly ViewMessage[]): number {
  return findTail(messages, { rounds: 1 });
}

/** Finds the last two user messages. They are kept even if a turn of many rounds follows them. */
export function findLastRequests(messages: readonly ViewMessage[]): readonly ViewMessage[] {
  const last = messages.findLastIndex(isRequest);
  const before = messages.slice(0, Math.max(0, last)).findLast(isRequest);
  return [before, messages[last]].filter((item) => item !== undefined);
}

function findStartByTextMessages(messages: readonly ViewMessage[], count: number): number {
  if (count === 0) return messages.length;
  let found = 0;
  const start = messages.findLastIndex((item) => {
    if (hasText(item.message)) found += 1;
    return found === count;
  });
  return Math.max(0, start);
}

function findStartByTokens(messages: readonly ViewMessage[], tokens: number): number {
  let sum = 0;
  let start = messages.length;
  while (start > 0) {
    sum += messages[start - 1]?.tokens ?? 0;
    if (sum > tokens) break;
    start -= 1;
  }
  return start;
}

function findStartByTurns(messages: readonly ViewMessage[], exchanges: number): number {
  if (exchanges === 0) return messages.length;
  const start = findTurnStart(messages, ({ message }) => message, exchanges);
  return Math.max(0, start);
}

function findStartByRounds(messages: readonly ViewMessage[], rounds: number): number {
  if (rounds === 0) return messages.length;
  return findRoundBorders(messages).at(-1 - rounds) ?? 0;
}

function isRequest({ message }: ViewMessage): boolean {
  return message.role === "user";
}

export function findPreferredTail(
  { view }: Pick<TentativeView, "view">,
  need: Pick<CompactionNeed, "settings" | "limitTokens" | "tailMessages">,
  other: TailMeasures = {},
): number {
  const { ratio, openRounds, otherwiseTokens, otherwiseExchanges, ...measures } = need.settings.tail;
  if (need.tailMessages !== undefined) return findTail(view.messages, { messages: need.tailMessages });
  if (openRounds !== undefined) return findStartByOpenRounds(view.messages, openRounds);
  const tail = { ...measures, ...other };
  const tokens = Math.max(tail.tokens ?? 0, computeTailShare(ratio ?? 0, need.limitTokens));
  const start = findTail(view.messages, { ...tail, tokens });
  if (start > 0 || otherwiseTokens === undefined) return start;
  return findTail(view.messages, { tokens: otherwiseTokens, exchanges: otherwiseExchanges });
}

/** Up to this size the tail's share is the ratio itself. */
const FIRST_TOKENS = 40_000;

/** Doubles the ratio above `FIRST_TOKENS`, because there is room and recent messages are needed most. */
function computeTailShare(ratio: number, limitTokens: number): number {
  const beyond = Math.max(0, limitTokens - FIRST_TOKENS);
  return Math.floor((limitTokens - beyond) * ratio + beyond * Math.min(1, ratio * 2));
}

/** Keeps the newest rounds of the open turn, or the whole turn if it has no more. Earlier turns are not in the tail. */
function findStartByOpenRounds(messages: readonly ViewMessage[], openRounds: number): number {
  const open = findNewestTurn(messages, ({ message }) => message);
  const rounds = groupRoundsBy(open, ({ message }) => message).filter(({ items }) => hasCalls(items[0]));
  if (rounds.length <= openRounds) return messages.length - open.length;
  const first = rounds.at(-openRounds)?.items[0];
  return first === undefined ? messages.length : messages.indexOf(first);
}

function hasCalls(item: ViewMessage | undefined): boolean {
  return item?.message.parts.some(({ type }) => type === "tool-call") ?? false;
}
