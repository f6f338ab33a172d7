/** Notifications inside one process. Whoever listens is told before `notify` resolves. */
import type { Notification, Notifications } from "../../ports/notifications.ts";

export interface ListenerOptions {
  /** Told when a listener throws, and when something else goes wrong that nobody waits for. */
  readonly onError: (error: unknown) => void;
}

type Listener = (notification: Notification) => void;

export function createLocalNotifications(options: ListenerOptions): Notifications {
  const listeners = new Listeners(options);
  return {
    notify: async (notification) => listeners.tell(notification),
    listen: (listener) => listeners.add(listener),
    close: async () => listeners.clear(),
  };
}

/** Those who want to know. One that throws is reported, stays, and keeps nobody else from hearing. */
export class Listeners {
  readonly #onError: ListenerOptions["onError"];
  readonly #listeners = new Set<{ readonly listener: Listener }>();

  constructor({ onError }: ListenerOptions) {
    this.#onError = onError;
  }

  /** The same function may be added twice; each is stopped by itself. */
  add(listener: Listener): () => void {
    const added = { listener };
    this.#listeners.add(added);
    return () => void this.#listeners.delete(added);
  }

  tell(notification: Notification): void {
    for (const { listener } of [...this.#listeners]) {
      try {
        listener(notification);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
