/** Turns of several servers on one store: one server claims and runs a turn, any can follow or cancel it. */
import { randomUUID } from "node:crypto";
import { PalimpsestError } from "../../core/errors.ts";
import type { Relay } from "../../ports/relay.ts";
import { withTimeout } from "../http/with-timeout.ts";
import type { ChatStream } from "./chat-stream.ts";
import { feedStream, SHUTDOWN_TEXT, StreamMirror } from "./stream-mirror.ts";
import { readTurnMessage, type TurnMessage, type TurnMessageOf } from "./turn-message.ts";

/** A turn that runs here, as other servers can use it. */
export interface OwnTurn {
  readonly id: string;
  readonly stream: ChatStream;
  /** Stops the turn. Resolves when the output is stored and the turn is released. */
  readonly cancel: () => Promise<unknown>;
}

export interface SharedTurnsOptions {
  readonly relay: Relay;
  readonly findOwn: (key: string) => OwnTurn | undefined;
  readonly maxCharacters: number;
  readonly onError: (error: unknown) => void;
}

/** Maximum number of mirrors that this server feeds, across all of its turns. */
const MAX_FEEDS = 1_000;
const CANCEL_AGAIN_MS = 1_000;
/** Longer than a turn takes to store its output. */
const CANCEL_MS = 30_000;
const CLOSE_MS = 1_000;

export class SharedTurns {
  readonly #options: SharedTurnsOptions;
  readonly #mirrors = new Map<string, StreamMirror>();
  readonly #feeds = new Map<string, Feed>();
  readonly #canceling = new Map<string, () => void>();
  readonly #stopListening: () => void;

  constructor(options: SharedTurnsOptions) {
    this.#options = options;
    this.#stopListening = options.relay.listen((text) => {
      const message = readTurnMessage(text);
      if (message !== undefined) this.#receive(message);
    });
  }

  claim(key: string): Promise<boolean> {
    return this.#options.relay.claim(key);
  }

  async release(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#options.relay.release(key)));
  }

  /** Returns the stream of a turn on another server from its beginning; undefined if no server runs it. */
  async follow(key: string): Promise<ChatStream | undefined> {
    const { relay, maxCharacters } = this.#options;
    if (!this.#mirrors.has(key) && !(await relay.isClaimedElsewhere(key))) return undefined;
    // Another request may have created it in the meantime.
    const mirror = this.#mirrors.get(key) ?? this.#mirror(key, maxCharacters);
    return (await mirror.started) ? mirror.stream : undefined;
  }

  /** Resolves to true when the other server has stored the output, to false if no server runs the turn. */
  async cancel(key: string): Promise<boolean> {
    const request = randomUUID();
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    this.#canceling.set(request, resolve);
    try {
      return await this.#cancelAtOther(key, request, answered);
    } finally {
      this.#canceling.delete(request);
    }
  }

  /** Ends the mirrors here; their readers are asked to resume on another server. */
  leave(): void {
    for (const mirror of [...this.#mirrors.values()]) mirror.end(SHUTDOWN_TEXT);
  }

  /** Waits until the mirrors of ended turns have received the end. */
  async close(): Promise<void> {
    this.leave();
    await withTimeout(Promise.all([...this.#feeds.values()].map(({ done }) => done)), CLOSE_MS);
    this.#stopListening();
    for (const { stop } of this.#feeds.values()) stop();
  }

  async #cancelAtOther(key: string, request: string, answered: Promise<void>): Promise<boolean> {
    const until = performance.now() + CANCEL_MS;
    for (let isRequested = false; performance.now() < until; isRequested = true) {
      // If the turn is gone once the request was sent, it has stopped.
      if (!(await this.#options.relay.isClaimedElsewhere(key))) return isRequested;
      await this.#publish({ type: "cancel", key, request });
      const isAnswered = await withTimeout(
        answered.then(() => true),
        CANCEL_AGAIN_MS,
      );
      if (isAnswered === true) return true;
    }
    throw new PalimpsestError("store-unavailable", "The server that runs this reply did not answer. Try again.");
  }

  #mirror(key: string, maxCharacters: number): StreamMirror {
    const mirror = new StreamMirror({
      key,
      publish: (message) => this.#publish(message),
      isRunning: () => this.#options.relay.isClaimedElsewhere(key),
      maxCharacters: maxCharacters * ALLOWANCE,
      onEnded: () => void this.#mirrors.delete(key),
    });
    this.#mirrors.set(key, mirror);
    return mirror;
  }

  #publish(message: TurnMessage): Promise<void> {
    return this.#options.relay.publish(JSON.stringify(message));
  }

  #receive(message: TurnMessage): void {
    switch (message.type) {
      case "follow":
        this.#feed(message);
        break;
      case "leave":
        this.#feeds.get(message.follower)?.stop();
        break;
      case "chunks":
      case "end":
        for (const mirror of [...this.#mirrors.values()]) mirror.receive(message);
        break;
      case "cancel":
        void this.#cancelOwn(message);
        break;
      case "cancelled":
        this.#canceling.get(message.request)?.();
        break;
    }
  }

  #feed({ key, follower, attempt, turn, place }: TurnMessageOf<"follow">): void {
    const own = this.#options.findOwn(key);
    if (own === undefined) return;
    this.#feeds.get(follower)?.stop();
    if (turn !== undefined && turn !== own.id) {
      void this.#publish({ type: "end", follower, attempt, at: place, isGone: true });
      return;
    }
    const stopping = new AbortController();
    const publish = (message: TurnMessage) => this.#publish(message);
    const options = { follower, attempt, turn: own.id, place, stream: own.stream, publish, signal: stopping.signal };
    const feed: Feed = {
      stop: () => stopping.abort(),
      done: feedStream(options).finally(() => {
        if (this.#feeds.get(follower) === feed) this.#feeds.delete(follower);
      }),
    };
    this.#feeds.set(follower, feed);
    feed.done.catch(this.#options.onError);
    const [oldest] = this.#feeds.values();
    if (this.#feeds.size > MAX_FEEDS) oldest?.stop();
  }

  async #cancelOwn({ key, request }: TurnMessageOf<"cancel">): Promise<void> {
    const own = this.#options.findOwn(key);
    if (own === undefined) return;
    await own.cancel();
    await this.#publish({ type: "cancelled", request });
  }
}

/** A mirror also receives what a turn writes after its stream became too long. */
const ALLOWANCE = 2;

interface Feed {
  readonly stop: () => void;
  readonly done: Promise<void>;
}
