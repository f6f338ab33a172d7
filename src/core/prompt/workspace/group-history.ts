/**
 * A conversation's items as groups that no other text may part: what stands for the covered part with the pinned
 * rounds, each round with its results, and every other message by itself.
 */
import { callIds, type Message } from "../../message/message.ts";
import { type AssembledItem, standsFirst } from "../assemble-prompt.ts";
import type { HistoryItem } from "./order-prompt.ts";

export interface HistoryGroup extends HistoryItem {
  readonly tokens: number;
  /** The seq of the first group of its exchange: the user message, and everything up to the next one. */
  readonly exchange: number;
  /** Nothing is to come that belongs to it. */
  readonly isClosed: boolean;
}

export function groupHistory(
  items: readonly AssembledItem[],
  seqOf: (message: Message) => number | undefined,
): readonly HistoryGroup[] {
  const groups: { seq: number; asks: boolean; messages: Message[]; tokens: number; waiting: Set<string> }[] = [];
  for (const item of items) {
    if (standsFirst(item)) continue;
    const { section, message, sources, tokens } = item;
    const last = groups.at(-1);
    const seq = section === "history" ? sources.map(seqOf).find((known) => known !== undefined) : 0;
    const isOfLast = last !== undefined && (seq === undefined || seq === last.seq || message.role === "tool");
    // A result that came late is shown as a user's words, and still answers what was asked before.
    const asks = (sources[0] ?? message).role === "user";
    const group = isOfLast ? last : { seq: seq ?? 0, asks, messages: [], tokens: 0, waiting: new Set<string>() };
    if (!isOfLast) groups.push(group);
    group.messages.push(message);
    group.tokens += tokens;
    for (const id of callIds(message)) group.waiting.add(id);
    for (const part of message.parts) if (part.type === "tool-result") group.waiting.delete(part.callId);
  }
  let exchange = 0;
  return groups.map(({ seq, asks, messages, tokens, waiting }, index) => {
    // What stands for the covered part is at 0 and no part of the exchange whose end follows it.
    if (asks || groups[index - 1]?.seq === 0) exchange = seq;
    return { seq, messages, tokens, exchange, isClosed: waiting.size === 0 };
  });
}
