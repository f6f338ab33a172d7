/** Which model was chosen for a conversation, kept by the browser's tab for as long as it is open. */
import type { SentImage } from "../api/images.ts";

const PREFIX = "palimpsest.model.";

export function keepModel(sessionId: string, model: string): void {
  try {
    sessionStorage.setItem(PREFIX + sessionId, model);
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
}

/** Undefined where nobody chose. */
export function findModel(sessionId: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + sessionId) ?? undefined;
  } catch {
    return undefined;
  }
}

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
