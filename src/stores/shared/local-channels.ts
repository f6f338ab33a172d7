/** Notifications and a relay inside one process. All listeners have run when `notify` resolves. */
import type { Notification, Notifications } from "../../ports/notifications.ts";
import type { Relay } from "../../ports/relay.ts";

export interface ListenerOptions {
  /** Called when a listener throws, and with failures in the background. */
  readonly onError: (error: unknown) => void;
}

type Listener = (notification: Notification) => void;

export function createLocalNotifications(options: ListenerOptions): Notifications {
  const listeners = new Listeners(options);
  return {
    notify: async (notification) => listeners.emit(notification),
    listen: (listener) => listeners.add(listener),
    close: async () => listeners.clear(),
  };
}

/** Registered listeners. One that throws is reported, stays registered and does not keep the others from running. */
export class Listeners {
  readonly #onError: ListenerOptions["onError"];
  readonly #listeners = new Set<{ readonly listener: Listener }>();

  constructor({ onError }: ListenerOptions) {
    this.#onError = onError;
  }

  /** Returns a function that removes the listener. A function added twice is removed once for each call. */
  add(listener: Listener): () => void {
    const added = { listener };
    this.#listeners.add(added);
    return () => void this.#listeners.delete(added);
  }

  emit(notification: Notification): void {
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

export interface RelayOptions {
  /** Called with each problem that the relay worked around, such as a lost connection or a claim that another process took. */
  readonly onWarning: (text: string) => void;
}

/** Creates a relay for a process that does not share its store: every free claim is granted, and nothing is published. */
export function createLocalRelay(): Relay {
  const claims = new Set<string>();
  return {
    isShared: false,
    async claim(key) {
      if (claims.has(key)) return false;
      claims.add(key);
      return true;
    },
    async release(key) {
      claims.delete(key);
    },
    isClaimedElsewhere: async () => false,
    publish: async () => undefined,
    listen: () => () => undefined,
    close: async () => claims.clear(),
  };
}
