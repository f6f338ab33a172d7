/**
 * Groups messages into rounds and turns. A round is an assistant message with tool calls, together with their results;
 * any other message is a round of its own. A compaction may keep, prune or fold a round, but never split one.
 * `repair-messages.ts` repairs broken groups.
 */
import { type CallId, continuesCalls, hasOnlyThinking, listAnsweredIds, listCallIds, type Message } from "./message.ts";

/** An assistant message with tool calls and their results, or any other message alone. It is never split. */
export interface Round<Item = Message> {
  readonly items: readonly Item[];
  /** Calls without a result yet. Providers refuse a prompt that continues before they are answered. */
  readonly openCalls: readonly CallId[];
}

/**
 * Groups messages into rounds: calls of tools stay with their results.
 *
 * @example
 * ```ts
 * const rounds = groupRounds(messages);
 * console.log(rounds.at(-1)?.items);
 * ```
 */
export function groupRounds(messages: readonly Message[]): readonly Round[] {
  return groupRoundsBy(messages, (message) => message);
}

export function groupRoundsBy<Item>(
  items: readonly Item[],
  messageOf: (item: Item) => Message,
): readonly Round<Item>[] {
  const rounds: { items: Item[]; open: CallId[]; answered: boolean; hasOnlyThinking: boolean }[] = [];
  for (const item of items) {
    const message = messageOf(item);
    const last = rounds.at(-1);
    if (last !== undefined && belongsTo(message, last)) {
      last.items.push(item);
      last.open.push(...listCallIds(message));
      for (const id of listAnsweredIds(message)) closeCall(last.open, id);
      last.answered ||= message.role === "tool";
      last.hasOnlyThinking &&= hasOnlyThinking(message);
    } else {
      rounds.push({
        items: [item],
        open: [...listCallIds(message)],
        answered: false,
        hasOnlyThinking: hasOnlyThinking(message),
      });
    }
  }
  return rounds.map(({ items: members, open }) => ({ items: members, openCalls: open }));
}

/** One result closes one call, even if several calls share an id. */
function closeCall(open: CallId[], id: CallId): void {
  const index = open.indexOf(id);
  if (index >= 0) open.splice(index, 1);
}

interface GrowingRound {
  readonly open: readonly CallId[];
  readonly answered: boolean;
  readonly hasOnlyThinking: boolean;
}

/**
 * Tool messages join while calls are open, even a stray result: splitting there could separate a later result from its
 * call. Parallel calls in their own messages join too, and so does the message after one with only thinking.
 */
function belongsTo(message: Message, round: GrowingRound): boolean {
  if (round.hasOnlyThinking) return message.role === "assistant";
  if (round.open.length === 0) return false;
  return message.role === "tool" || (continuesCalls(message) && !round.answered);
}

/**
 * A user message and everything up to the next one. It is an exchange if its last message is the assistant's and it has
 * no open call. Messages before the first user message are a turn without a request.
 */
export interface Turn<Item = Message> {
  readonly items: readonly Item[];
  readonly hasRequest: boolean;
  readonly isExchange: boolean;
}

/**
 * Groups messages into turns: each begins with a user message.
 *
 * @example
 * ```ts
 * const turns = groupTurns(messages);
 * console.log(turns.length);
 * ```
 */
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

/** Returns the items of the newest turn, searching from the end, so that a long history costs nothing. */
export function findNewestTurn<Item>(items: readonly Item[], messageOf: (item: Item) => Message): readonly Item[] {
  return items.slice(Math.max(0, findTurnStart(items, messageOf, 1)));
}

/** Returns the index at which the last `turns` turns begin, or -1 if fewer turns have a request. */
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
