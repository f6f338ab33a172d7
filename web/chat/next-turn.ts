/** State of a session's next turn that outlives the screen: the chosen model, and a queued message. */
import type { UploadedImage } from "../api/images.ts";

const PREFIX = "palimpsest.model.";

export function saveModel(sessionId: string, model: string): void {
  try {
    sessionStorage.setItem(PREFIX + sessionId, model);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

/** Undefined if the user has not chosen a model. */
export function readModel(sessionId: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + sessionId) ?? undefined;
  } catch {
    return undefined;
  }
}

export interface QueuedMessage {
  readonly text: string;
  readonly images: readonly UploadedImage[];
}

const queue = new Map<string, QueuedMessage>();

/** Queues a message that is sent when the session opens. */
export function queueMessage(sessionId: string, message: QueuedMessage): void {
  queue.set(sessionId, message);
}

export function hasQueuedMessage(sessionId: string): boolean {
  return queue.has(sessionId);
}

export function takeQueuedMessage(sessionId: string): QueuedMessage | undefined {
  const message = queue.get(sessionId);
  queue.delete(sessionId);
  return message;
}
