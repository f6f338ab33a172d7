/**
 * Where the tail begins: the newest part of a view that stays as it was said. Several measures may be given; the most
 * inclusive one wins, and the answer is always a border between rounds, so that a call is never parted from its result.
 */
import type { ViewMessage } from "../log/view.ts";
import { findTurnStart, groupRoundsBy, newestTurn } from "../message/group-messages.ts";
import { hasWords } from "../message/message-text.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import type { TailMeasures } from "./plan-settings.ts";
import type { Tentative } from "./tentative-view.ts";

/** Index of the first message of the tail; the length of the view when every measure is zero. */
export function findTail(messages: readonly ViewMessage[], measures: TailMeasures): number {
  const starts = [
    messages.length - (measures.messages ?? 0),
    startByTextMessages(messages, measures.textMessages ?? 0),
    startByTokens(messages, measures.tokens ?? 0),
    startByTurns(messages, measures.exchanges ?? 0),
    startByRounds(messages, measures.rounds ?? 0),
  ];
  return roundBorderAt(messages, Math.max(0, Math.min(...starts)));
}

/** The start of the round that holds the message at `index`. */
export function roundBorderAt(messages: readonly ViewMessage[], index: number): number {
  return roundBorders(messages).findLast((border) => border <= index) ?? 0;
}

/** Every index at which a round begins, and the end: the legal places to cut. */
export function roundBorders(messages: readonly ViewMessage[]): readonly number[] {
  const known = KNOWN_BORDERS.get(messages);
  // A view grows at its end.
  if (known?.at(-1) === messages.length) return known;
  const borders = findBorders(messages);
  KNOWN_BORDERS.set(messages, borders);
  return borders;
}

/** A step asks for those of one view many times over, and a view may be a whole year. */
const KNOWN_BORDERS = new WeakMap<readonly ViewMessage[], readonly number[]>();

function findBorders(messages: readonly ViewMessage[]): readonly number[] {
  const borders = [0];
  for (const round of groupRoundsBy(messages, ({ message }) => message)) {
    borders.push((borders.at(-1) ?? 0) + round.items.length);
  }
  return borders;
}

/** The least that every step must leave beside the last two requests: the newest round, open or not. */
export function findLeastTail(messages: readonly ViewMessage[]): number {
  return findTail(messages, { rounds: 1 });
}

/** What the user asked last. A turn of many rounds may leave it far behind; it is kept even then. */
export function findLastRequests(messages: readonly ViewMessage[]): readonly ViewMessage[] {
  const last = messages.findLastIndex(isRequest);
  const before = messages.slice(0, Math.max(0, last)).findLast(isRequest);
  return [before, messages[last]].filter((item) => item !== undefined);
}

function startByTextMessages(messages: readonly ViewMessage[], count: number): number {
  if (count === 0) return messages.length;
  let found = 0;
  const start = messages.findLastIndex((item) => {
    if (hasWords(item.message)) found += 1;
    return found === count;
  });
  return Math.max(0, start);
}

function startByTokens(messages: readonly ViewMessage[], tokens: number): number {
  let sum = 0;
  let start = messages.length;
  while (start > 0) {
    sum += messages[start - 1]?.tokens ?? 0;
    if (sum > tokens) break;
    start -= 1;
  }
  return start;
}

function startByTurns(messages: readonly ViewMessage[], exchanges: number): number {
  if (exchanges === 0) return messages.length;
  return Math.max(
    0,
    findTurnStart(messages, ({ message }) => message, exchanges),
  );
}

function startByRounds(messages: readonly ViewMessage[], rounds: number): number {
  if (rounds === 0) return messages.length;
  return roundBorders(messages).at(-1 - rounds) ?? 0;
}

function isRequest({ message }: ViewMessage): boolean {
  return message.role === "user";
}

// Where the tail begins that a policy wishes for, in a view and a limit.
type TailNeed = Pick<CompactionNeed, "settings" | "limitTokens" | "tailMessages">;

export function findWishedTail({ view }: Pick<Tentative, "view">, need: TailNeed, other: TailMeasures = {}): number {
  const { ratio, openRounds, otherwiseTokens, otherwiseExchanges, ...measures } = need.settings.tail;
  if (need.tailMessages !== undefined) return findTail(view.messages, { messages: need.tailMessages });
  if (openRounds !== undefined) return startByOpenRounds(view.messages, openRounds);
  const tail = { ...measures, ...other };
  const tokens = Math.max(tail.tokens ?? 0, tailShare(ratio ?? 0, need.limitTokens));
  const start = findTail(view.messages, { ...tail, tokens });
  if (start > 0 || otherwiseTokens === undefined) return start;
  return findTail(view.messages, { tokens: otherwiseTokens, exchanges: otherwiseExchanges });
}

/** Up to here a share of the prompt is that share. */
const FIRST_TOKENS = 40_000;

/** Beyond a first stretch the share counts twice: there is room, and what was said last is what is needed next. */
function tailShare(ratio: number, limitTokens: number): number {
  const beyond = Math.max(0, limitTokens - FIRST_TOKENS);
  return Math.floor((limitTokens - beyond) * ratio + beyond * Math.min(1, ratio * 2));
}

/** The newest rounds of the open turn. Where it has no more of them, the whole turn: the fold is then of earlier ones. */
function startByOpenRounds(messages: readonly ViewMessage[], openRounds: number): number {
  const open = newestTurn(messages, ({ message }) => message);
  const rounds = groupRoundsBy(open, ({ message }) => message).filter(({ items }) => hasCalls(items[0]));
  if (rounds.length <= openRounds) return messages.length - open.length;
  const first = rounds.at(-openRounds)?.items[0];
  return first === undefined ? messages.length : messages.indexOf(first);
}

function hasCalls(item: ViewMessage | undefined): boolean {
  return item?.message.parts.some(({ type }) => type === "tool-call") ?? false;
}
