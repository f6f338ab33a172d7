/**
 * A marker for a stored message that cannot be read, or whose text does not match its hash, so that no message is
 * silently missing and no changed text is shown. It has no hash and is never stored.
 */
import type { MessageId } from "../message/message.ts";
import type { MessageEntry } from "./entry.ts";

export const UNREADABLE_TEXT = "[A message here could not be read from the store.]";

const ID = /^unreadable-([1-9]\d{0,15})$/;

interface UnreadablePlace extends Pick<MessageEntry, "seq" | "at"> {
  readonly role: "user" | "assistant";
  /** By default, an id that contains the seq. */
  readonly id?: MessageId | undefined;
  readonly storedHash?: string | undefined;
}

export function createUnreadableEntry(place: UnreadablePlace): MessageEntry {
  const { seq, at, role, id = createUnreadableEntryId(place.seq), storedHash } = place;
  const message = { id, role, parts: [{ type: "text", text: UNREADABLE_TEXT }] } as const;
  return { type: "message", id, seq, at, message, hash: "", tokens: {}, ...(storedHash && { storedHash }) };
}

export function createUnreadableEntryId(seq: number): string {
  return `unreadable-${seq}`;
}

export function readUnreadableSeq(id: string): number | undefined {
  const seq = ID.exec(id)?.[1];
  return seq === undefined ? undefined : Number(seq);
}

export function isUnreadable({ hash, erased }: Pick<MessageEntry, "hash" | "erased">): boolean {
  return hash === "" && erased !== true;
}
