/**
 * A conversation between the parts of a workspace, in the order of the prompt: each tier with the history that it
 * holds, then what changes, then the rest of the conversation.
 */
import type { Message } from "../../message/message.ts";
import type { Tier } from "../../sections/tier.ts";
import type { WorkspaceLayout } from "./lay-out-workspace.ts";

/**
 * Messages of the conversation that no other text may part: a round, or one message. `seq` is that of the first; what
 * stands for the covered part is at 0.
 */
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
