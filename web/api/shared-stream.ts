/**
 * One stream of events for all windows of the page: a browser has six connections for one server, and a stream for each
 * window would use them up. One window holds the stream and tells the others; when it goes, another takes over after the
 * last event that it was told of. Windows with another token share nothing with this one. A page that is not served
 * securely has no locks, and each of its windows a stream of its own.
 */
import { client } from "./client.ts";
import { type Fields, readFields, readText } from "./fields.ts";
import { nameToken } from "./token.ts";

export interface SharedEvent {
  /** Goes on after it; empty where the server has said nothing yet. */
  readonly id: string;
  readonly name: string;
  readonly data: Fields;
}

/** The server has begun to tell, or begun anew: what was read before may lack what happened until now. */
export const STREAM_START = "stream-start";
/** Between windows: one that has come asks whether there is a stream, and whoever holds it says that there is. */
const ASKED = "stream-asked";
const HERE = "stream-here";

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** Goes on after this event; empty for what comes from now on. */
  readonly lastId: string;
  readonly onEvent: (event: SharedEvent) => void;
}

export class SharedStream {
  readonly #options: StreamOptions;
  #lastId: string;
  #channel: BroadcastChannel | undefined;
  /** This window's own stream stands. */
  #isOpen = false;
  /** It is known that somebody's does. */
  #isHeard = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#lastId = options.lastId;
  }

  /** Until the signal, or a refusal that waiting does not change. */
  async follow(): Promise<void> {
    const { signal } = this.#options;
    if (navigator.locks === undefined) return this.#hold();
    const name = `palimpsest-events ${await nameToken()}`;
    if (signal.aborted) return;
    const channel = new BroadcastChannel(name);
    this.#channel = channel;
    channel.onmessage = ({ data }) => this.#hear(readEvent(data));
    signal.addEventListener("abort", () => {
      this.#channel = undefined;
      channel.close();
    });
    this.#say(ASKED);
    await navigator.locks.request(name, { signal }, () => this.#hold());
  }

  async #hold(): Promise<void> {
    const { signal } = this.#options;
    const onOpen = () => {
      this.#isOpen = true;
      this.#take({ id: this.#lastId, name: STREAM_START, data: {} });
      this.#say(STREAM_START);
    };
    for await (const { id, name, data } of client.events({ signal, lastId: this.#lastId, onOpen })) {
      const event = { id, name, data: readFields(data) };
      this.#take(event);
      this.#channel?.postMessage(event);
    }
  }

  #hear(event: SharedEvent): void {
    if (event.name === ASKED) {
      if (this.#isOpen) this.#say(HERE);
      return;
    }
    // An answer to another window says nothing new.
    if (event.name === HERE && this.#isHeard) return;
    this.#take(event.name === HERE ? { ...event, name: STREAM_START } : event);
  }

  #take(event: SharedEvent): void {
    this.#isHeard = true;
    this.#lastId = event.id;
    this.#options.onEvent(event);
  }

  #say(name: string): void {
    this.#channel?.postMessage({ id: this.#lastId, name, data: {} });
  }
}

function readEvent(value: unknown): SharedEvent {
  const { id, name, data } = readFields(value);
  return { id: readText(id), name: readText(name), data: readFields(data) };
}
