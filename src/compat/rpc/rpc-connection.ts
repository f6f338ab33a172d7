/**
 * One client on a WebSocket. Its requests are answered in their order; who does not take the answers is not read from.
 * Notices that the next one makes up for are left out for a client that is slow, and one that takes none is let go: it
 * comes back and asks for the current state.
 */
import type { RawData, WebSocket } from "ws";
import { BODY_LIMITS, parseJson } from "../../server/http/read-body.ts";
import { writeJson } from "../../server/http/send-json.ts";
import { answerRpc, type RpcAnswering, refuseUnreadable } from "./answer-rpc.ts";
import type { Notice } from "./notices.ts";

/** Requests that wait for the ones before them; then nothing more is read. */
const MOST_WAITING = 32;
/** Bytes that wait to be sent before a notice is left out, and before the client is let go. */
const SLOW_BYTES = 1_000_000;
const STUCK_BYTES = 64_000_000;
const STUCK_NOTICES = 256;

const CLOSE_UNSUPPORTED = 1003;
const CLOSE_TRY_AGAIN = 1013;

export interface ConnectionOptions extends RpcAnswering {
  readonly socket: WebSocket;
}

export class RpcConnection {
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #stopListening: () => void;
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #unsent = 0;
  #isAlive = true;

  constructor(options: ConnectionOptions) {
    const { socket, context } = options;
    this.#options = options;
    this.#socket = socket;
    this.#stopListening = context.notices.listen((notice) => this.#tell(notice));
    socket.on("message", (data, isBinary) => this.#read(data, isBinary));
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    // What goes wrong with a connection ends it, and its client hears of nothing else.
    socket.on("error", () => socket.terminate());
    socket.on("close", () => this.#stopListening());
  }

  /** Called now and then: who has not answered since the last time is gone. */
  check(): void {
    if (!this.#isAlive) {
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }

  /** What was asked is answered first. */
  async close(code: number, reason: string): Promise<void> {
    await this.#queue;
    this.#socket.close(code, reason);
  }

  #read(data: RawData, isBinary: boolean): void {
    if (isBinary) {
      this.#socket.close(CLOSE_UNSUPPORTED, "Send text.");
      return;
    }
    this.#waiting += 1;
    if (this.#waiting >= MOST_WAITING) this.#socket.pause();
    this.#queue = this.#queue.then(async () => {
      await this.#answer(data.toString()).catch((error: unknown) => this.#giveUp(error));
      this.#waiting -= 1;
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

  /** Nobody expected it; whoever waits for the answer hears that there is none. */
  #giveUp(error: unknown): void {
    this.#options.onFailure("rpc", error);
    this.#socket.terminate();
  }

  #tell({ method, params, isReplaceable }: Notice): void {
    const { bufferedAmount } = this.#socket;
    if (isReplaceable && (bufferedAmount > SLOW_BYTES || this.#unsent > STUCK_NOTICES / 2)) return;
    if (bufferedAmount > STUCK_BYTES || this.#unsent > STUCK_NOTICES) {
      this.#stopListening();
      this.#socket.close(CLOSE_TRY_AGAIN, "Too slow; connect again.");
      // It does not read, so it may never answer the closing.
      setTimeout(() => this.#socket.terminate(), 1_000).unref();
      return;
    }
    this.#unsent += 1;
    void this.#send(JSON.stringify({ jsonrpc: "2.0", method, params })).then(() => {
      this.#unsent -= 1;
    });
  }

  /** Resolves when it has left this process, or when nobody is there to take it. */
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
