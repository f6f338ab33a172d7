/**
 * One event stream for all windows of the page: a browser opens at most six connections to one server. One window has
 * the stream and forwards events to the others; when it closes, another one resumes after the last event. Windows with
 * different tokens share nothing. A page without a secure context has no locks, so each of its windows has a stream.
 */
import { type Fields, readFields, readText } from "../../src/client/fields.ts";
import { client } from "./client.ts";
import { hashCurrentToken } from "./token.ts";

export interface SharedEvent {
  /** Position to resume after; empty before the first event. */
  readonly id: string;
  readonly name: string;
  readonly data: Fields;
}

/** The stream was opened or reopened: data that was read before may be outdated. */
export const STREAM_START = "stream-start";
/** Messages between windows: a new window requests a stream, and the window that has one responds. */
const STREAM_REQUEST = "stream-request";
const STREAM_RESPONSE = "stream-response";

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** Resumes after this event; empty to start now. */
  readonly lastId: string;
  readonly onEvent: (event: SharedEvent) => void;
}

export class SharedStream {
  readonly #options: StreamOptions;
  #lastId: string;
  #channel: BroadcastChannel | undefined;
  /** Whether this window holds an open stream. */
  #isOpen = false;
  /** Whether this window has received an event from any stream. */
  #isConnected = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#lastId = options.lastId;
  }

  /** Runs until the signal aborts or the server permanently rejects the request. */
  async follow(): Promise<void> {
    const { signal } = this.#options;
    if (navigator.locks === undefined) return this.#hold();
    const name = `palimpsest-events ${await hashCurrentToken()}`;
    if (signal.aborted) return;
    const channel = new BroadcastChannel(name);
    this.#channel = channel;
    channel.onmessage = ({ data }) => this.#receive(readEvent(data));
    signal.addEventListener("abort", () => {
      this.#channel = undefined;
      channel.close();
    });
    this.#broadcast(STREAM_REQUEST);
    await navigator.locks.request(name, { signal }, () => this.#hold());
  }

  async #hold(): Promise<void> {
    const { signal } = this.#options;
    const onOpen = () => {
      this.#isOpen = true;
      this.#emit({ id: this.#lastId, name: STREAM_START, data: {} });
      this.#broadcast(STREAM_START);
    };
    for await (const { id, name, data } of client.events({ signal, lastId: this.#lastId, onOpen })) {
      const event = { id, name, data: readFields(data) };
      this.#emit(event);
      this.#channel?.postMessage(event);
    }
  }

  #receive(event: SharedEvent): void {
    if (event.name === STREAM_REQUEST) {
      if (this.#isOpen) this.#broadcast(STREAM_RESPONSE);
      return;
    }
    // A response to another window is ignored.
    if (event.name === STREAM_RESPONSE && this.#isConnected) return;
    this.#emit(event.name === STREAM_RESPONSE ? { ...event, name: STREAM_START } : event);
  }

  #emit(event: SharedEvent): void {
    this.#isConnected = true;
    this.#lastId = event.id;
    this.#options.onEvent(event);
  }

  #broadcast(name: string): void {
    this.#channel?.postMessage({ id: this.#lastId, name, data: {} });
  }
}

function readEvent(value: unknown): SharedEvent {
  const { id, name, data } = readFields(value);
  return { id: readText(id), name: readText(name), data: readFields(data) };
}
