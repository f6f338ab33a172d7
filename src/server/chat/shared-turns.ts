/**
 * Turns of several servers on one store, as one: each is claimed by whoever runs it, and followed or cancelled from
 * anywhere. Nothing is said about a turn that no other server was asked for, so that a turn costs a claim and no more.
 */
import { randomUUID } from "node:crypto";
import { PalimpsestError } from "../../core/errors.ts";
import type { Relay } from "../../ports/relay.ts";
import { within } from "../http/within.ts";
import type { ChatStream } from "./chat-stream.ts";
import { feedStream } from "./stream-feed.ts";
import { LEFT_TEXT, StreamMirror } from "./stream-mirror.ts";
import { readTurnMessage, type TurnMessage, type TurnMessageOf } from "./turn-message.ts";

/** A turn that runs here, as the others may have it. */
export interface OwnTurn {
  readonly id: string;
  readonly stream: ChatStream;
  /** Resolves when what came is stored, and the turn can be claimed by others. */
  readonly cancel: () => Promise<unknown>;
}

export interface SharedTurnsOptions {
  readonly relay: Relay;
  readonly findOwn: (key: string) => OwnTurn | undefined;
  /** Of the stream of a turn. */
  readonly mostCharacters: number;
  readonly onError: (error: unknown) => void;
}

/** Followers of all turns here; each is a server that was asked for one of them. */
const MOST_FEEDS = 1_000;
const CANCEL_AGAIN_MS = 1_000;
/** Longer than a turn takes to store what came. */
const CANCEL_MS = 30_000;
const FAREWELL_MS = 1_000;

export class SharedTurns {
  readonly #options: SharedTurnsOptions;
  readonly #mirrors = new Map<string, StreamMirror>();
  readonly #feeds = new Map<string, Feed>();
  /** Who waits for a turn elsewhere to be cancelled. */
  readonly #cancelling = new Map<string, () => void>();
  readonly #stopListening: () => void;

  constructor(options: SharedTurnsOptions) {
    this.#options = options;
    this.#stopListening = options.relay.listen((text) => {
      const message = readTurnMessage(text);
      if (message !== undefined) this.#hear(message);
    });
  }

  claim(key: string): Promise<boolean> {
    return this.#options.relay.claim(key);
  }

  async release(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#options.relay.release(key)));
  }

  /** The stream of a turn that another server runs, from its beginning; undefined where none does. */
  async follow(key: string): Promise<ChatStream | undefined> {
    const { relay, mostCharacters } = this.#options;
    if (!this.#mirrors.has(key) && !(await relay.isClaimedElsewhere(key))) return undefined;
    // Somebody else may have asked meanwhile.
    const mirror = this.#mirrors.get(key) ?? this.#mirror(key, mostCharacters);
    return (await mirror.begun) ? mirror.stream : undefined;
  }

  /** Resolves when whoever runs it has stored what came; false where nobody does. */
  async cancel(key: string): Promise<boolean> {
    const request = randomUUID();
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    this.#cancelling.set(request, resolve);
    try {
      return await this.#cancelElsewhere({ key, request, answered });
    } finally {
      this.#cancelling.delete(request);
    }
  }

  /** Those who read turns of other servers here are told to go on there. */
  leave(): void {
    for (const mirror of [...this.#mirrors.values()]) mirror.end(LEFT_TEXT);
  }

  /** Turns that run here have ended; those who follow them hear of it. */
  async close(): Promise<void> {
    this.leave();
    await within(Promise.all([...this.#feeds.values()].map(({ done }) => done)), FAREWELL_MS);
    this.#stopListening();
    for (const { stop } of this.#feeds.values()) stop();
  }

  async #cancelElsewhere({ key, request, answered }: Cancelling): Promise<boolean> {
    const until = performance.now() + CANCEL_MS;
    for (let isTold = false; performance.now() < until; isTold = true) {
      // One that was told to stop and is not there any more has stopped.
      if (!(await this.#options.relay.isClaimedElsewhere(key))) return isTold;
      await this.#say({ type: "cancel", key, request });
      const isAnswered = await within(
        answered.then(() => true),
        CANCEL_AGAIN_MS,
      );
      if (isAnswered === true) return true;
    }
    throw new PalimpsestError("store-unavailable", "The server that makes this reply did not answer; try again.");
  }

  #mirror(key: string, mostCharacters: number): StreamMirror {
    const mirror = new StreamMirror({
      key,
      say: (message) => this.#say(message),
      isRunning: () => this.#options.relay.isClaimedElsewhere(key),
      mostCharacters: mostCharacters * ALLOWANCE,
      onEnded: () => void this.#mirrors.delete(key),
    });
    this.#mirrors.set(key, mirror);
    return mirror;
  }

  #say(message: TurnMessage): Promise<void> {
    return this.#options.relay.publish(JSON.stringify(message));
  }

  #hear(message: TurnMessage): void {
    switch (message.type) {
      case "follow":
        this.#feed(message);
        break;
      case "leave":
        this.#feeds.get(message.follower)?.stop();
        break;
      case "chunks":
      case "end":
        for (const mirror of [...this.#mirrors.values()]) mirror.hear(message);
        break;
      case "cancel":
        void this.#cancelOwn(message);
        break;
      case "cancelled":
        this.#cancelling.get(message.request)?.();
        break;
    }
  }

  #feed({ key, follower, attempt, turn, place }: TurnMessageOf<"follow">): void {
    const own = this.#options.findOwn(key);
    if (own === undefined) return;
    this.#feeds.get(follower)?.stop();
    if (turn !== undefined && turn !== own.id) {
      void this.#say({ type: "end", follower, attempt, at: place, isGone: true });
      return;
    }
    const stopping = new AbortController();
    const say = (message: TurnMessage) => this.#say(message);
    const fed = { follower, attempt, turn: own.id, place, stream: own.stream, say, signal: stopping.signal };
    const feed: Feed = {
      stop: () => stopping.abort(),
      done: feedStream(fed).finally(() => {
        if (this.#feeds.get(follower) === feed) this.#feeds.delete(follower);
      }),
    };
    this.#feeds.set(follower, feed);
    feed.done.catch(this.#options.onError);
    const [oldest] = this.#feeds.values();
    if (this.#feeds.size > MOST_FEEDS) oldest?.stop();
  }

  async #cancelOwn({ key, request }: TurnMessageOf<"cancel">): Promise<void> {
    const own = this.#options.findOwn(key);
    if (own === undefined) return;
    await own.cancel();
    await this.#say({ type: "cancelled", request });
  }
}

/** What a turn says after it was found to be too long, and why, is passed on too. */
const ALLOWANCE = 2;

interface Cancelling {
  readonly key: string;
  readonly request: string;
  readonly answered: Promise<void>;
}

interface Feed {
  readonly stop: () => void;
  readonly done: Promise<void>;
}
