/**
 * A turn is a user message and everything up to the next one. It is an exchange once the assistant has answered in
 * words, with no call left open. What stands before the first user message is a turn without a request.
 */
import { groupRoundsBy } from "./group-rounds.ts";
import type { Message } from "./message.ts";

export interface Turn<Item = Message> {
  readonly items: readonly Item[];
  readonly hasRequest: boolean;
  readonly isExchange: boolean;
}

export function groupTurns(messages: readonly Message[]): readonly Turn[] {
  return groupTurnsBy(messages, (message) => message);
}

export function groupTurnsBy<Item>(items: readonly Item[], messageOf: (item: Item) => Message): readonly Turn<Item>[] {
  const groups: Item[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last === undefined || messageOf(item).role === "user") groups.push([item]);
    else last.push(item);
  }
  return groups.map((group) => describeTurn(group, messageOf));
}

/** What the last of them holds, found from the end: a long past costs nothing. */
export function newestTurn<Item>(items: readonly Item[], messageOf: (item: Item) => Message): readonly Item[] {
  return items.slice(Math.max(0, findTurnStart(items, messageOf, 1)));
}

/** Where the last so many turns begin; -1 where there are not that many with a request. */
export function findTurnStart<Item>(items: readonly Item[], messageOf: (item: Item) => Message, turns: number): number {
  let found = 0;
  return items.findLastIndex((item) => {
    if (messageOf(item).role === "user") found += 1;
    return found === turns;
  });
}

function describeTurn<Item>(items: readonly Item[], messageOf: (item: Item) => Message): Turn<Item> {
  const messages = items.map(messageOf);
  const hasRequest = messages[0]?.role === "user";
  const lastRound = groupRoundsBy(messages, (message) => message).at(-1);
  const answer = lastRound?.items.at(-1);
  return {
    items,
    hasRequest,
    isExchange: hasRequest && answer?.role === "assistant" && lastRound?.openCalls.length === 0,
  };
}
