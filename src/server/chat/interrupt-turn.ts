/** Decides when a request may end the running turn, and keeps cancellations that arrive before a turn has started. */
import { setTimeout as pause } from "node:timers/promises";
import type { ChatStream } from "./chat-stream.ts";
import type { ChatRequest } from "./find-session.ts";

/** A closed connection is noticed a moment later. */
const LEAVING_MS = 500;
const CHECK_EVERY_MS = 20;

/**
 * Returns true if the newest user message differs, or a reply is to be regenerated; false for the same request again.
 */
export function isNewQuestion(request: ChatRequest, before: ChatRequest): boolean {
  const question = findQuestion(request);
  return request.trigger === "regenerate-message" || (question !== undefined && question !== findQuestion(before));
}

function findQuestion({ messages = [], message }: ChatRequest): string | undefined {
  const last = message ?? messages.at(-1);
  return last?.role === "user" ? JSON.stringify(last) : undefined;
}

/** Waits briefly for the readers to leave, as `useChat` does when it stops. A turn with a reader continues. */
export async function waitUntilAbandoned(stream: ChatStream): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < LEAVING_MS && !stream.isAbandoned; waitedMs += CHECK_EVERY_MS) {
    await pause(CHECK_EVERY_MS);
  }
  return stream.isAbandoned;
}

/**
 * Cancellations of turns that are about to start. The caller waits until the turn has started; the turn then ends at
 * once.
 */
export class EarlyCancels {
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();

  /** Resolves when the turn with this key has started or failed to. */
  wait(key: string): Promise<void> {
    const waiting = this.#waiting.get(key) ?? Promise.withResolvers<void>();
    this.#waiting.set(key, waiting);
    return waiting.promise;
  }

  /** Resolves the waits of these keys. Returns true if there was one. */
  take(keys: readonly string[]): boolean {
    const found = keys.filter((key) => this.#waiting.has(key));
    for (const key of found) {
      this.#waiting.get(key)?.resolve();
      this.#waiting.delete(key);
    }
    return found.length > 0;
  }
}
