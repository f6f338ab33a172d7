/** What is to be said in a session as soon as it is on the screen: the first words of another way. */
import type { SentImage } from "../api/images.ts";

export interface PendingMessage {
  readonly text: string;
  readonly images: readonly SentImage[];
}

const messages = new Map<string, PendingMessage>();

export function leaveMessage(sessionId: string, message: PendingMessage): void {
  messages.set(sessionId, message);
}

export function hasMessage(sessionId: string): boolean {
  return messages.has(sessionId);
}

/** Once. */
export function takeMessage(sessionId: string): PendingMessage | undefined {
  const message = messages.get(sessionId);
  messages.delete(sessionId);
  return message;
}
