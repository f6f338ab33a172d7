/** Ids of messages that came without one: their places in the caller's list. */
import type { MessageId } from "./message.ts";

export function fallbackId(index: number): MessageId {
  return `message-${index}`;
}

export function isFallbackId(id: MessageId): boolean {
  return /^message-\d{1,15}$/.test(id);
}
