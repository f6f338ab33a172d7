/**
 * A marker for a message that the store holds but cannot read, so that nothing is silently missing. It has no hash,
 * because its text is unknown; it is never stored and never repaired.
 */
import type { MessageEntry } from "./entry.ts";

export const UNREADABLE_TEXT = "[A message here could not be read from the store.]";

const ID = /^unreadable-([1-9]\d{0,15})$/;

interface UnreadablePlace extends Pick<MessageEntry, "seq" | "at"> {
  readonly role: "user" | "assistant";
}

export function createUnreadableEntry({ seq, at, role }: UnreadablePlace): MessageEntry {
  const id = makeUnreadableId(seq);
  const message = { id, role, parts: [{ type: "text", text: UNREADABLE_TEXT }] } as const;
  return { type: "message", id, seq, at, message, hash: "", tokens: {} };
}

export function makeUnreadableId(seq: number): string {
  return `unreadable-${seq}`;
}

/** Returns the seq that such an id names. */
export function readUnreadableSeq(id: string): number | undefined {
  const seq = ID.exec(id)?.[1];
  return seq === undefined ? undefined : Number(seq);
}

export function isUnreadable({ id, seq, hash, erased }: MessageEntry): boolean {
  return hash === "" && erased !== true && readUnreadableSeq(id) === seq;
}
