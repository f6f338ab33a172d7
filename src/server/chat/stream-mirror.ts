/**
 * Both ends of a stream between two servers. A mirror is the copy of a turn's stream that clients of another server
 * read: it requests missing parts again, and ends with the turn, or with an error if its server falls silent. A feed
 * sends the stream to a mirror.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { ChatStream, type StreamPosition } from "./chat-stream.ts";
import { isSamePosition, type TurnMessage, type TurnMessageOf, takeChunks } from "./turn-message.ts";

export interface MirrorOptions {
  readonly key: string;
  readonly publish: (message: TurnMessage) => Promise<void>;
  /** Resolves to true while another server runs the turn. */
  readonly isRunning: () => Promise<boolean>;
  readonly maxCharacters: number;
  readonly onEnded: () => void;
}

/** Silence after which a feed sends an empty message. */
const FEED_BEAT_MS = 1_000;
const CHECK_MS = 500;
/** Silence after which the mirror checks whether the turn is running, and requests what it may have missed. */
const QUIET_MS = 2 * FEED_BEAT_MS;
/** Silence after which the mirror gives up. */
const LOST_MS = 10_000;
/** After this time without readers, keeping a mirror costs more than creating a new one. */
const UNREAD_MS = 10_000;

export const NO_ANSWER_TEXT = "The server that runs this reply does not answer. The session's log has what it stored.";
export const SHUTDOWN_TEXT = "This server is shutting down. The reply continues on another server; resume it there.";

export class StreamMirror {
  readonly stream = new ChatStream();
  readonly #options: MirrorOptions;
  readonly #position: StreamPosition = { index: 0, offset: 0 };
  readonly #timer: NodeJS.Timeout;
  readonly #follower = randomUUID();
  /** Number of the request, so that answers to an earlier one are ignored. */
  #attempt = 0;
  #turn: string | undefined;
  #requestedAt = 0;
  #receivedAt = performance.now();
  #readAt = performance.now();
  #isEnded = false;
  #isChecking = false;
  #resolveStarted: (isStarted: boolean) => void = () => undefined;
  /** Resolves to true with the first chunks, to false if there are none. */
  readonly started = new Promise<boolean>((resolve) => {
    this.#resolveStarted = resolve;
  });

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#check(), CHECK_MS);
    this.#timer.unref();
    this.#follow();
  }

  receive(message: TurnMessageOf<"chunks"> | TurnMessageOf<"end">): void {
    if (message.follower !== this.#follower || message.attempt !== this.#attempt || this.#isEnded) return;
    this.#receivedAt = performance.now();
    if (message.type === "end") this.#receiveEnd(message);
    else this.#receiveChunks(message);
  }

  /** Takes an error text if the turn itself has not ended. */
  end(errorText?: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#timer);
    if (errorText !== undefined) {
      this.stream.write({ type: "error", errorText });
      void this.#options.publish({ type: "leave", follower: this.#follower, attempt: this.#attempt });
    }
    this.stream.end();
    this.#resolveStarted(false);
    this.#options.onEnded();
  }

  #receiveChunks(message: TurnMessageOf<"chunks">): void {
    if (!isSamePosition(message.from, this.#position)) {
      this.#follow();
      return;
    }
    this.#turn = message.turn;
    for (const chunk of takeChunks(message)) this.stream.write(chunk);
    Object.assign(this.#position, message.to);
    this.#resolveStarted(true);
    const { maxCharacters } = this.#options;
    if (this.stream.characters > maxCharacters) this.end(`The reply is longer than ${maxCharacters} characters.`);
  }

  #receiveEnd({ at, isGone }: TurnMessageOf<"end">): void {
    if (isGone) this.end(NO_ANSWER_TEXT);
    else if (isSamePosition(at, this.#position)) this.end();
    else this.#follow();
  }

  #follow(): void {
    this.#attempt += 1;
    this.#requestedAt = performance.now();
    const place = { ...this.#position };
    const request = { follower: this.#follower, attempt: this.#attempt, place, turn: this.#turn };
    void this.#options.publish({ type: "follow", key: this.#options.key, ...request });
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    const now = performance.now();
    if (this.stream.readers > 0) this.#readAt = now;
    const silenceMs = now - this.#receivedAt;
    if (silenceMs > LOST_MS || now - this.#readAt > UNREAD_MS) return this.end(NO_ANSWER_TEXT);
    const isQuiet = silenceMs > QUIET_MS;
    if (!isQuiet && this.#turn !== undefined) return;
    this.#isChecking = true;
    // A failed check is not a reason to end a turn that may be running.
    const isRunning = await this.#options.isRunning().catch(() => true);
    this.#isChecking = false;
    if (!isRunning) this.end(NO_ANSWER_TEXT);
    else if (isQuiet && !this.#isEnded && now - this.#requestedAt > QUIET_MS) this.#follow();
  }
}

export interface FeedOptions {
  readonly follower: string;
  readonly attempt: number;
  readonly turn: string;
  readonly place: StreamPosition;
  readonly stream: ChatStream;
  readonly publish: (message: TurnMessage) => Promise<void>;
  /** Aborted when the mirror is gone. */
  readonly signal: AbortSignal;
}

/** Pause after all is sent, so that the output of a fast model is sent in fewer messages. */
const JOIN_MS = 50;

/** Resolves when the stream has ended or the mirror is gone. Never rejects, because `publish` does not. */
export async function feedStream({ follower, attempt, turn, ...options }: FeedOptions): Promise<void> {
  const { place, stream, publish, signal } = options;
  const reached = { ...place };
  let from = { ...reached };
  for await (const chunks of stream.read(signal, { position: reached, quietMs: FEED_BEAT_MS })) {
    const to = { ...reached };
    await publish({ type: "chunks", follower, attempt, turn, from, to, chunks: [...chunks] });
    from = to;
    if (stream.isRead(reached)) await pause(JOIN_MS, undefined, { ref: false });
  }
  if (!signal.aborted) await publish({ type: "end", follower, attempt, at: from, isGone: false });
}
