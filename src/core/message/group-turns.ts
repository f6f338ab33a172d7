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
