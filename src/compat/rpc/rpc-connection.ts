/**
 * One client on a WebSocket. Its requests are answered in order, and reading pauses while it does not receive its
 * answers. A slow client misses notices that the next one replaces; a stuck one is disconnected and can reconnect and
 * request the current state.
 */
import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { BodyShare } from "../../server/http/body-budget.ts";
import { BODY_LIMITS, parseJson } from "../../server/http/read-body.ts";
import { writeJson } from "../../server/http/send-json.ts";
import { type AnswerOptions, answerRpc, refuseUnreadable } from "./answer-rpc.ts";
import type { Notice } from "./notices.ts";

/** Requests in the queue before reading pauses. */
const MAX_WAITING = 32;
/** Unsent bytes above which notices are left out, and above which the client is disconnected. */
const SLOW_BYTES = 1_000_000;
const STUCK_BYTES = 64_000_000;
const STUCK_NOTICES = 256;

const CLOSE_UNSUPPORTED = 1003;
const CLOSE_TRY_AGAIN = 1013;

export interface ConnectionOptions extends AnswerOptions {
  readonly socket: WebSocket;
  /** The stream below the socket. */
  readonly stream: Duplex;
  /** The part of the budget for request bodies that received and waiting messages use. */
  readonly share: BodyShare;
}

export class RpcConnection {
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #stopListening: () => void;
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #unsent = 0;
  /** Bytes received since the last complete message. */
  #unfinished = 0;
  #isAlive = true;

  constructor(options: ConnectionOptions) {
    const { socket, stream, context } = options;
    this.#options = options;
    this.#socket = socket;
    this.#stopListening = context.notices.listen((notice) => this.#notify(notice));
    stream.prependListener("data", ({ length }: Buffer) => this.#receive(length));
    socket.on("message", (data, isBinary) => this.#read(data, isBinary));
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    // An error of the connection ends it.
    socket.on("error", () => socket.terminate());
    socket.on("close", () => this.#stopListening());
  }

  check(): void {
    if (!this.#isAlive) {
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }

  /** Answers pending requests first. */
  async close(code: number, reason: string): Promise<void> {
    await this.#queue;
    this.#socket.close(code, reason);
  }

  #receive(bytes: number): void {
    try {
      this.#options.share.add(bytes);
      this.#unfinished += bytes;
    } catch (error) {
      this.#disconnect(error instanceof Error ? error.message : "");
    }
  }

  #read(data: RawData, isBinary: boolean): void {
    // All of these bytes belong to the message, except for a few of the next one.
    const bytes = this.#unfinished;
    this.#unfinished = 0;
    if (isBinary) {
      this.#socket.close(CLOSE_UNSUPPORTED, "Send text.");
      return;
    }
    this.#waiting += 1;
    if (this.#waiting >= MAX_WAITING) this.#socket.pause();
    this.#queue = this.#queue.then(async () => {
      await this.#answer(data.toString()).catch((error: unknown) => this.#giveUp(error));
      this.#waiting -= 1;
      this.#options.share.remove(bytes);
      if (this.#socket.isPaused) this.#socket.resume();
    });
  }

  async #answer(text: string): Promise<void> {
    const payload = readPayload(text);
    const answer =
      "unreadable" in payload ? refuseUnreadable(payload.unreadable) : await answerRpc(payload.value, this.#options);
    if (answer === undefined) return;
    let written = "";
    for await (const piece of writeJson(answer)) written += piece;
    await this.#send(written);
  }

  /** Reports an unexpected error and closes the connection, so that the client does not wait for an answer. */
  #giveUp(error: unknown): void {
    this.#options.onFailure("rpc", error);
    this.#socket.terminate();
  }

  #notify({ method, params, isReplaceable }: Notice): void {
    const { bufferedAmount } = this.#socket;
    if (isReplaceable && (bufferedAmount > SLOW_BYTES || this.#unsent > STUCK_NOTICES / 2)) return;
    if (bufferedAmount > STUCK_BYTES || this.#unsent > STUCK_NOTICES) {
      this.#disconnect("Too slow. Connect again.");
      return;
    }
    this.#unsent += 1;
    void this.#send(JSON.stringify({ jsonrpc: "2.0", method, params })).then(() => {
      this.#unsent -= 1;
    });
  }

  #disconnect(reason: string): void {
    this.#stopListening();
    this.#socket.close(CLOSE_TRY_AGAIN, reason);
    // The client may never answer the close frame.
    setTimeout(() => this.#socket.terminate(), 1_000).unref();
  }

  /** Resolves when the text is sent or the connection is closed. */
  #send(text: string): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return Promise.resolve();
    return new Promise((resolve) => this.#socket.send(text, () => resolve()));
  }
}

function readPayload(text: string): { readonly value: unknown } | { readonly unreadable: string } {
  try {
    return { value: parseJson(text, BODY_LIMITS) };
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : "This is not JSON." };
  }
}
