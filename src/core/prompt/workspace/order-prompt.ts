/**
 * A conversation between the parts of a workspace, in the order of the prompt: each tier with the history that it
 * holds, then what changes, then the rest of the conversation. It also says after which items a provider is told to
 * remember what it has read.
 */
import type { Message } from "../../message/message.ts";
import type { CachedTier, Tier } from "../../sections/tier.ts";
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

export interface OrderedPrompt {
  readonly items: readonly OrderedItem[];
  /** Where each tier that is cached ends: the index of its last item, or -1 for the system text. */
  readonly tierEnds: readonly { readonly tier: CachedTier; readonly index: number }[];
}

export function orderPrompt(layout: WorkspaceLayout, history: readonly HistoryItem[]): OrderedPrompt {
  const items: OrderedItem[] = [];
  const tierEnds: { readonly tier: CachedTier; readonly index: number }[] = [];
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
    tierEnds.push({ tier, index: items.length - 1 });
  }
  if (layout.tiers[0]?.tier !== "L0") tierEnds.unshift({ tier: "L0", index: -1 });
  place("active", "workspace", layout.uncached);
  for (const { messages } of waiting.values()) place("active", "history", messages);
  return { items, tierEnds };
}
