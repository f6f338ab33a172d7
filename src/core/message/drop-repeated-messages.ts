/** Removes repeated ids: a message with the same content is dropped; one with other content gets a new id. */
import { hashMessage } from "./hash-message.ts";
import type { Message, MessageId } from "./message.ts";
import type { Repair } from "./repair.ts";

export interface DistinctMessages {
  readonly messages: readonly Message[];
  readonly repairs: readonly Repair[];
}

export function dropRepeatedMessages(messages: readonly Message[]): DistinctMessages {
  const hashes = new Map<MessageId, string>();
  const kept: Message[] = [];
  const repairs: Repair[] = [];
  const report = ({ id }: Message, text: string) => repairs.push({ kind: "duplicate-message", messageId: id, text });
  for (const message of messages) {
    const hash = hashMessage(message);
    const earlier = hashes.get(message.id);
    const isOther = earlier !== undefined && earlier !== hash;
    const renamed = isOther ? { ...message, id: `${message.id}~${hash.slice(0, 8)}` } : message;
    if (hashes.get(renamed.id) === hash) {
      report(message, "Came twice with the same content and is shown once.");
      continue;
    }
    if (isOther) report(message, "Another message has this id, so this one gets a new id.");
    hashes.set(renamed.id, hash);
    kept.push(renamed);
  }
  return { messages: kept, repairs };
}
