/** A message at a place, as an entry that no store has seen: for views that live in memory alone. */
import type { MessageEntry, ProducingRequest } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";

export function placeMessage(message: Message, seq: number, producedUnder?: ProducingRequest): MessageEntry {
  return { type: "message", id: message.id, seq, at: 0, message, hash: "", tokens: {}, producedUnder };
}
