/** Notifications and a relay inside one process. All listeners have run when `notify` resolves. */
import type { Notification, Notifications } from "../../ports/notifications.ts";
import type { Relay } from "../../ports/relay.ts";

export interface ListenerOptions {
  /** Called when a listener throws, and with failures in the background. */
  readonly onError: (error: unknown) => void;
}

export function createLocalNotifications(options: ListenerOptions): Notifications {
  const listeners = new Listeners<Notification>(options.onError);
  return {
    notify: async (notification) => listeners.emit(notification),
    listen: (listener) => listeners.add(listener),
    close: async () => listeners.clear(),
  };
}

/** Registered listeners. One that throws is reported, stays registered and does not keep the others from running. */
export class Listeners<Value> {
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<{ readonly listener: (value: Value) => void }>();

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Returns a function that removes the listener. A function added twice is removed once for each call. */
  add(listener: (value: Value) => void): () => void {
    const added = { listener };
    this.#listeners.add(added);
    return () => void this.#listeners.delete(added);
  }

  emit(value: Value): void {
    for (const { listener } of [...this.#listeners]) {
      try {
        listener(value);
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
