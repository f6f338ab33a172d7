/**
 * Where the tail begins: the newest part of a view that stays as it was said. Several measures may be given; the most
 * inclusive one wins, and the answer is always a border between rounds, so that a call is never parted from its result.
 */

import type { ViewMessage } from "../log/view.ts";
import { groupRoundsBy } from "../message/group-rounds.ts";
import { findTurnStart } from "../message/group-turns.ts";
import { hasWords } from "../message/has-words.ts";

export interface TailMeasures {
  readonly messages?: number | undefined;
  /** Messages of a user or an assistant that have words, and what stands among them. */
  readonly textMessages?: number | undefined;
  /** The newest messages while their sum is at most this. */
  readonly tokens?: number | undefined;
  /** Turns that begin with a user message. */
  readonly exchanges?: number | undefined;
  readonly rounds?: number | undefined;
}

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
