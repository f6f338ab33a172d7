/** Groups items that must stay together, such as rounds, and places them between the parts of a workspace. */
import { listCallIds, type Message } from "../../message/message.ts";
import type { Tier } from "../../sections/tier.ts";
import { type AssembledItem, isSystemText } from "../assemble-prompt.ts";
import type { WorkspaceLayout } from "./lay-out-workspace.ts";

export interface HistoryGroup extends HistoryItem {
  readonly tokens: number;
  /** Seq of the first group of the same exchange. */
  readonly exchange: number;
  readonly isClosed: boolean;
}

export function groupHistory(
  items: readonly AssembledItem[],
  readItemSeq: (message: Message) => number | undefined,
): readonly HistoryGroup[] {
  const groups: { seq: number; asks: boolean; messages: Message[]; tokens: number; waiting: Set<string> }[] = [];
  for (const item of items) {
    if (isSystemText(item)) continue;
    const { section, message, sources, tokens } = item;
    const last = groups.at(-1);
    const seq = section === "history" ? sources.map(readItemSeq).find((known) => known !== undefined) : 0;
    const isOfLast = last !== undefined && (seq === undefined || seq === last.seq || message.role === "tool");
    // A late result is shown as user text, but does not start an exchange.
    const asks = (sources[0] ?? message).role === "user";
    const group = isOfLast ? last : { seq: seq ?? 0, asks, messages: [], tokens: 0, waiting: new Set<string>() };
    if (!isOfLast) groups.push(group);
    group.messages.push(message);
    group.tokens += tokens;
    for (const id of listCallIds(message)) group.waiting.add(id);
    for (const part of message.parts) if (part.type === "tool-result") group.waiting.delete(part.callId);
  }
  let exchange = 0;
  return groups.map(({ seq, asks, messages, tokens, waiting }, index) => {
    // The cover has seq 0 and is not part of the exchange after it.
    if (asks || groups[index - 1]?.seq === 0) exchange = seq;
    return { seq, messages, tokens, exchange, isClosed: waiting.size === 0 };
  });
}

/** Messages that must stay together: a round, or one message. `seq` is that of the first one, or 0 for the cover. */
export interface HistoryItem {
  readonly seq: number;
  readonly messages: readonly Message[];
}

export interface OrderedItem {
  readonly tier: Tier;
  readonly kind: "workspace" | "history";
  readonly message: Message;
}

export function orderPrompt(layout: WorkspaceLayout, history: readonly HistoryItem[]): readonly OrderedItem[] {
  const items: OrderedItem[] = [];
  const waiting = new Map(history.map((item) => [item.seq, item]));
  const place = (tier: Tier, kind: OrderedItem["kind"], messages: readonly Message[]): void => {
    for (const message of messages) items.push({ tier, kind, message });
  };
  for (const { tier, messages, historySeqs } of layout.tiers) {
    place(tier, "workspace", messages);
    for (const seq of historySeqs) {
      place(tier, "history", waiting.get(seq)?.messages ?? []);
      waiting.delete(seq);
    }
  }
  place("active", "workspace", layout.uncached);
  for (const { messages } of waiting.values()) place("active", "history", messages);
  return items;
}
