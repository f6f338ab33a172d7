/**
 * A round is an assistant message with tool calls together with the results that answer them. Rounds are the atoms
 * of compaction: a step may keep, prune or fold a round, and nothing may split one. Any other message is a round of
 * its own, so that every position between two rounds is a legal place to cut.
 *
 * This file only groups. What is broken inside a group is mended by repair-messages.ts.
 */
import { answeredIds, type CallId, callIds, continuesCalls, isThought, type Message } from "./message.ts";

export interface Round<Item = Message> {
  readonly items: readonly Item[];
  /** Calls that have no result yet. Providers refuse a prompt that goes on while this is not empty. */
  readonly openCalls: readonly CallId[];
}

export function groupRounds(messages: readonly Message[]): readonly Round[] {
  return groupRoundsBy(messages, (message) => message);
}

/** The same for items that carry a message among other things. */
export function groupRoundsBy<Item>(
  items: readonly Item[],
  messageOf: (item: Item) => Message,
): readonly Round<Item>[] {
  const rounds: { items: Item[]; open: CallId[]; answered: boolean; isThought: boolean }[] = [];
  for (const item of items) {
    const message = messageOf(item);
    const last = rounds.at(-1);
    if (last !== undefined && belongsTo(message, last)) {
      last.items.push(item);
      last.open.push(...callIds(message));
      for (const id of answeredIds(message)) closeCall(last.open, id);
      last.answered ||= message.role === "tool";
      last.isThought &&= isThought(message);
    } else {
      rounds.push({ items: [item], open: [...callIds(message)], answered: false, isThought: isThought(message) });
    }
  }
  return rounds.map(({ items: members, open }) => ({ items: members, openCalls: open }));
}

/** One result closes one call, also where several bear one id. */
function closeCall(open: CallId[], id: CallId): void {
  const index = open.indexOf(id);
  if (index >= 0) open.splice(index, 1);
}

interface GrowingRound {
  readonly open: readonly CallId[];
  readonly answered: boolean;
  readonly isThought: boolean;
}

/**
 * Whatever tools gave back joins while calls are open, a stray result too: parting at it would part a later result from
 * its call. So do further parallel calls that come as messages of their own, and what is said after thoughts alone.
 */
function belongsTo(message: Message, round: GrowingRound): boolean {
  if (round.isThought) return message.role === "assistant";
  if (round.open.length === 0) return false;
  return message.role === "tool" || (continuesCalls(message) && !round.answered);
}

// A turn is a user message and everything up to the next one. It is an exchange once the assistant has answered in
// words, with no call left open. What stands before the first user message is a turn without a request.
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
