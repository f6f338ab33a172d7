/** Parses server-sent events from text in pieces. `eventsource-parser` parses the format; this file limits the size. */
import { createParser } from "eventsource-parser";

export interface ServerSentEvent {
  /** `message` if the server gives no name. */
  readonly name: string;
  readonly data: string;
  /** The last id that the server sent, with this event or before it; empty without one. */
  readonly id: string;
}

/** Larger than any event of the server. The limit keeps an endless event from filling the memory. */
const MAX_CHARACTERS = 64_000_000;
/** Eleven days. `setTimeout` fires at once if the delay is over 24 days. */
const MAX_RETRY_MS = 999_999_999;

export class EventParser {
  #events: ServerSentEvent[] = [];
  #id = "";
  #retryMs: number | undefined;
  #endsInReturn = false;
  readonly #parser = createParser({
    maxBufferSize: MAX_CHARACTERS,
    onEvent: ({ event, id = this.#id, data }) => {
      this.#id = id;
      this.#events.push({ name: event === undefined || event === "" ? "message" : event, data, id });
    },
    onRetry: (milliseconds) => {
      if (milliseconds <= MAX_RETRY_MS) this.#retryMs = milliseconds;
    },
    // Other errors are unknown fields and invalid values, which the standard ignores.
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw new RangeError("A server-sent event is too large.");
    },
  });

  get lastId(): string {
    return this.#id;
  }

  /** Returns how long the server asks clients to wait before they reconnect. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Returns the events that end in this piece of text. Throws a `RangeError` if an event is too large. */
  push(text: string): readonly ServerSentEvent[] {
    this.#parser.feed(this.#withNewlines(text));
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** The library holds back a carriage return, and the event that it ends, until more text arrives. */
  #withNewlines(text: string): string {
    const rest = this.#endsInReturn && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") this.#endsInReturn = text.endsWith("\r");
    return rest.includes("\r") ? rest.replaceAll(/\r\n?/g, "\n") : rest;
  }
}
