/** JSON-RPC over a WebSocket that reconnects. Calls without an answer fail, since they may or may not have run. */
import { RPC_PROTOCOL, RPC_TOKEN_PROTOCOL, type RpcError, type RpcResponse } from "../protocol/rpc-codes.ts";
import type { RpcMethodName, RpcNotices, RpcParams, RpcResult } from "../protocol/rpc-methods.ts";
import { type ClientCode, ClientError } from "./client-error.ts";
import { backoffMs, pause, waitUnlessAborted } from "./send-request.ts";

/** The part of a WebSocket that is used; those of browsers and Node have it. */
export interface SocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(
    type: "open" | "close" | "error" | "message",
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike;

/** How a socket is opened: its `WebSocket`, and a signal that stops it. */
export interface ConnectOptions {
  readonly signal?: AbortSignal | undefined;
  /** Replaces the global `WebSocket`. */
  readonly WebSocket?: SocketConstructor | undefined;
}

export interface SocketAddress {
  readonly url: string;
  readonly token: string | undefined;
}

type Listener = (params: never) => void;

/**
 * A JSON-RPC connection over a WebSocket that reconnects.
 *
 * @example
 * ```ts
 * const close = (socket: RpcSocket) => socket.close();
 * ```
 */
export class RpcSocket {
  readonly #address: SocketAddress;
  readonly #WebSocket: SocketConstructor;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #closing = new AbortController();
  #socket: SocketLike | undefined;
  #connected = Promise.withResolvers<void>();
  #nextId = 1;

  /** Resolves when it is connected for the first time; rejects if the server cannot be reached. */
  static async open(address: SocketAddress, options: ConnectOptions): Promise<RpcSocket> {
    const socket = new RpcSocket(address, options.WebSocket ?? globalThis.WebSocket);
    options.signal?.throwIfAborted();
    options.signal?.addEventListener("abort", () => socket.close(), { once: true });
    await socket.#connect();
    options.signal?.throwIfAborted();
    return socket;
  }

  private constructor(address: SocketAddress, webSocket: SocketConstructor) {
    this.#address = address;
    this.#WebSocket = webSocket;
  }

  /** Waits for the connection if there is none at the moment. */
  async call<Name extends RpcMethodName>(
    method: Name,
    params: Readonly<RpcParams<Name>> | readonly unknown[],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<RpcResult<Name>> {
    signal?.throwIfAborted();
    const socket = await this.#requireSocket(signal);
    const id = this.#nextId++;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    try {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      // The server's answers have the types of the table.
      return (await waitUnlessAborted(answer.promise, signal)) as RpcResult<Name>;
    } finally {
      this.#waiting.delete(id);
    }
  }

  async #requireSocket(signal: AbortSignal | undefined): Promise<SocketLike> {
    for (;;) {
      await waitUnlessAborted(this.#connected.promise, signal);
      this.#closing.signal.throwIfAborted();
      if (this.#socket !== undefined) return this.#socket;
    }
  }

  /** Returns a function that removes the listener. */
  on<Name extends keyof RpcNotices>(name: Name, listener: (params: RpcNotices[Name]) => void): () => void {
    return this.#listen(name, listener);
  }

  onReconnect(listener: () => void): () => void {
    return this.#listen(RECONNECTED, listener);
  }

  close(): void {
    if (this.#closing.signal.aborted) return;
    const error = new ClientError("closed", "This connection was closed; open a new one.");
    this.#closing.abort(error);
    this.#socket?.close(1000);
    // There may be no caller that waits for it.
    this.#connected.promise.catch(() => undefined);
    this.#connected.reject(error);
    this.#fail(error);
  }

  #listen(name: string, listener: Listener): () => void {
    const known = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, known.add(listener));
    return () => known.delete(listener);
  }

  #connect(): Promise<void> {
    const { url, token } = this.#address;
    const protocols = [RPC_PROTOCOL, ...(token === undefined ? [] : [`${RPC_TOKEN_PROTOCOL}${encodeToken(token)}`])];
    const socket = new this.#WebSocket(`${url.replace(/^http/, "ws")}/rpc`, protocols);
    return new Promise((resolve, reject) => {
      let isOpen = false;
      socket.addEventListener("open", () => {
        isOpen = true;
        this.#socket = socket;
        if (this.#closing.signal.aborted) socket.close(1000);
        this.#connected.resolve();
        resolve();
      });
      socket.addEventListener("message", ({ data }) => this.#read(data));
      // A close event follows and handles it.
      socket.addEventListener("error", () => undefined);
      socket.addEventListener("close", () => {
        if (isOpen) this.#lose();
        else
          reject(new ClientError("unreachable", `${url} does not accept a WebSocket connection.`, { retryable: true }));
      });
    });
  }

  #lose(): void {
    this.#socket = undefined;
    if (this.#closing.signal.aborted) return;
    this.#connected = Promise.withResolvers();
    this.#fail(
      new ClientError("connection-lost", "The connection was lost before the answer arrived.", { retryable: true }),
    );
    // Never rejects: it tries until the socket is connected or closed.
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let attempt = 0; !this.#closing.signal.aborted; attempt += 1) {
      try {
        await pause(backoffMs(attempt), this.#closing.signal);
        await this.#connect();
        this.#emit(RECONNECTED, undefined);
        return;
      } catch {
        // The server did not answer, or the connection was closed; the loop checks which.
      }
    }
  }

  #fail(error: ClientError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #read(data: unknown): void {
    const message: unknown = typeof data === "string" ? JSON.parse(data) : undefined;
    if (typeof message !== "object" || message === null) return;
    if ("method" in message && "params" in message) {
      this.#emit(String(message.method), message.params);
      return;
    }
    const answer = message as RpcResponse;
    const waiting = typeof answer.id === "number" ? this.#waiting.get(answer.id) : undefined;
    if ("error" in answer) waiting?.reject(toClientError(answer.error));
    else waiting?.resolve(answer.result);
  }

  #emit(name: string, params: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(params as never);
  }
}

const RECONNECTED = "palimpsest.reconnected";

export function toClientError({ message, data }: RpcError): ClientError {
  // An error without our data means that the request was invalid JSON-RPC.
  const code = (data?.code ?? "request-invalid") as ClientCode;
  return new ClientError(code, message, { retryable: data?.retryable, advice: data?.advice, details: data?.details });
}

/** Subprotocol names allow fewer characters than tokens. */
function encodeToken(token: string): string {
  return btoa(token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
