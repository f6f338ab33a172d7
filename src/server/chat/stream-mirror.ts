/**
 * The stream of a turn that another server runs, as clients of this one read it. What is missing is asked for again from
 * the place where it broke off. It ends with the turn, or in words when nobody is heard who runs it.
 */
import { randomUUID } from "node:crypto";
import { ChatStream, type StreamPlace } from "./chat-stream.ts";
import { FEED_BEAT_MS } from "./stream-feed.ts";
import { chunksOf, isSamePlace, type TurnMessage, type TurnMessageOf } from "./turn-message.ts";

export interface MirrorOptions {
  readonly key: string;
  readonly say: (message: TurnMessage) => Promise<void>;
  /** Whether another server has the turn. */
  readonly isRunning: () => Promise<boolean>;
  readonly mostCharacters: number;
  readonly onEnded: () => void;
}

const LOOK_MS = 500;
/** Silence after which it is asked whether the turn is still run, and for what may have been missed. */
const QUIET_MS = 2 * FEED_BEAT_MS;
/** Silence after which it is given up, whoever says that it is run. */
const LOST_MS = 10_000;
/** A mirror that nobody reads for so long costs more than asking again. */
const UNREAD_MS = 10_000;

export const LOST_TEXT =
  "The server that makes this reply cannot be heard any more. What was stored of it is in the session's log.";
export const LEFT_TEXT = "This server ends. The reply goes on at another one; resume it there.";

export class StreamMirror {
  readonly stream = new ChatStream();
  readonly #options: MirrorOptions;
  readonly #place: StreamPlace = { index: 0, offset: 0 };
  readonly #timer: NodeJS.Timeout;
  readonly #follower = randomUUID();
  /** Each has a number, so that what was said to the one before is not taken for an answer to it. */
  #attempt = 0;
  #turn: string | undefined;
  #askedAt = 0;
  #heardAt = performance.now();
  #readAt = performance.now();
  #isEnded = false;
  #isLooking = false;
  #resolveBegun: (hasBegun: boolean) => void = () => undefined;
  /** True when the first of it is here; false when there is nothing to be had. */
  readonly begun = new Promise<boolean>((resolve) => {
    this.#resolveBegun = resolve;
  });

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
    this.#timer.unref();
    this.#follow();
  }

  hear(message: TurnMessageOf<"chunks"> | TurnMessageOf<"end">): void {
    if (message.follower !== this.#follower || message.attempt !== this.#attempt || this.#isEnded) return;
    this.#heardAt = performance.now();
    if (message.type === "end") this.#hearEnd(message);
    else this.#hearChunks(message);
  }

  /** With words that say why, where the turn itself did not end. */
  end(errorText?: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#timer);
    if (errorText !== undefined) {
      this.stream.write({ type: "error", errorText });
      void this.#options.say({ type: "leave", follower: this.#follower, attempt: this.#attempt });
    }
    this.stream.end();
    this.#resolveBegun(false);
    this.#options.onEnded();
  }

  #hearChunks(message: TurnMessageOf<"chunks">): void {
    if (!isSamePlace(message.from, this.#place)) {
      this.#follow();
      return;
    }
    this.#turn = message.turn;
    for (const chunk of chunksOf(message)) this.stream.write(chunk);
    Object.assign(this.#place, message.to);
    this.#resolveBegun(true);
    const { mostCharacters } = this.#options;
    if (this.stream.characters > mostCharacters) this.end(`The reply is longer than ${mostCharacters} characters.`);
  }

  #hearEnd({ at, isGone }: TurnMessageOf<"end">): void {
    if (isGone) this.end(LOST_TEXT);
    else if (isSamePlace(at, this.#place)) this.end();
    else this.#follow();
  }

  #follow(): void {
    this.#attempt += 1;
    this.#askedAt = performance.now();
    const asking = { follower: this.#follower, attempt: this.#attempt, place: { ...this.#place }, turn: this.#turn };
    void this.#options.say({ type: "follow", key: this.#options.key, ...asking });
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    const now = performance.now();
    if (this.stream.readers > 0) this.#readAt = now;
    const silenceMs = now - this.#heardAt;
    if (silenceMs > LOST_MS || now - this.#readAt > UNREAD_MS) return this.end(LOST_TEXT);
    const isQuiet = silenceMs > QUIET_MS;
    if (!isQuiet && this.#turn !== undefined) return;
    this.#isLooking = true;
    // One that cannot be asked just now is no reason to end what may go on.
    const isRunning = await this.#options.isRunning().catch(() => true);
    this.#isLooking = false;
    if (!isRunning) this.end(LOST_TEXT);
    else if (isQuiet && !this.#isEnded && now - this.#askedAt > QUIET_MS) this.#follow();
  }
}
