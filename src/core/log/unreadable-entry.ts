/**
 * What stands for a message that the store has and cannot read: a marker at its place, so that nothing is silently
 * absent. It has no hash, because nobody knows what was said; it is never stored and never mended.
 */
import type { MessageEntry } from "./entry.ts";

export const UNREADABLE_TEXT = "[A message here could not be read from the store.]";

const ID = /^unreadable-([1-9]\d{0,15})$/;

interface UnreadablePlace extends Pick<MessageEntry, "seq" | "at"> {
  readonly role: "user" | "assistant";
}

export function unreadableEntry({ seq, at, role }: UnreadablePlace): MessageEntry {
  const id = unreadableId(seq);
  const message = { id, role, parts: [{ type: "text", text: UNREADABLE_TEXT }] } as const;
  return { type: "message", id, seq, at, message, hash: "", tokens: {} };
}

export function unreadableId(seq: number): string {
  return `unreadable-${seq}`;
}

/** The place that an id of such a marker names. */
export function unreadableSeq(id: string): number | undefined {
  const seq = ID.exec(id)?.[1];
  return seq === undefined ? undefined : Number(seq);
}

export function isUnreadable({ id, seq, hash, erased }: MessageEntry): boolean {
  return hash === "" && erased !== true && unreadableSeq(id) === seq;
}
