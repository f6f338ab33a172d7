/** The client of the HTTP protocol: one method for each route. It loads no schema; the compiler checks requests. */

import { describeUnknownKey, describeValue } from "../core/check-value.ts";
import { ADDRESSES, type Address, type RouteName } from "../protocol/addresses.ts";
import type { RpcResponse } from "../protocol/rpc-codes.ts";
import { ClientError } from "./client-error.ts";
import type { Client, ClientMethods, ResumeOptions } from "./client-types.ts";
import { followEvents } from "./follow-events.ts";
import { readChunks, readLines } from "./read-text.ts";
import { type ConnectOptions, RpcSocket, toClientError } from "./rpc-socket.ts";
import { type CallOptions, type Fetch, sendRequest, type Transport } from "./send-request.ts";

/**
 * Where the server is, and how to reach it.
 *
 * @example
 * ```ts
 * createClient({ url: "http://127.0.0.1:7420", token: "plm_…" });
 * ```
 */
export interface ClientOptions {
  /** Address of the server, such as `http://127.0.0.1:7420`. */
  readonly url: string;
  readonly token?: string | undefined;
  /** Replaces the global `fetch`. An app's own `fetch` is a server without a socket. */
  readonly fetch?: Fetch | undefined;
  /** Attempts of a request that may be repeated. Default: 3. */
  readonly attempts?: number | undefined;
}

const ATTEMPTS = 3;

const OPTIONS: readonly (keyof ClientOptions)[] = ["url", "token", "fetch", "attempts"];

/**
 * Returns a client of a Palimpsest server: one method for each route.
 *
 * @example
 * ```ts
 * const client = createClient({ url: "http://127.0.0.1:7420" });
 * const { sessions } = await client.listSessions({});
 * ```
 */
export function createClient(options: ClientOptions): Client {
  checkOptionNames(options ?? {}, OPTIONS, "createClient");
  checkUrl(options?.url);
  const { url, token, fetch, attempts = ATTEMPTS } = options;
  const transport: Transport = {
    url: url.replace(/\/+$/, ""),
    token,
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
    attempts,
  };
  const methods = Object.fromEntries(
    Object.keys(ADDRESSES).map((name) => [
      name,
      (request: Call = {}) => callRoute(transport, name as RouteName, request),
    ]),
  );
  return {
    // The table of routes has the types of each method.
    ...(methods as unknown as ClientMethods),
    rpc: async (method, params, { signal } = {}) => {
      const body = { jsonrpc: "2.0", id: 1, method, params };
      const response = await sendRequest(transport, ADDRESSES.callRpc, { body, signal, isSafe: false });
      const answer: RpcResponse = JSON.parse(await response.text());
      if ("error" in answer) throw toClientError(answer.error);
      return answer.result as never;
    },
    connect: async (asked = {}) => {
      checkOptionNames(asked, CONNECT_OPTIONS, "connect");
      return RpcSocket.open({ url: transport.url, token }, asked);
    },
  };
}

const CONNECT_OPTIONS: readonly (keyof ConnectOptions)[] = ["signal", "WebSocket"];

type Call = Omit<CallOptions, "isSafe"> & ResumeOptions;

const CONTENT_KEYS: readonly (keyof Call)[] = ["params", "query", "body", "lines", "bytes", "mediaType", "headers"];
const CALL_KEYS: readonly (keyof Call)[] = [...CONTENT_KEYS, "signal", "lastId", "onOpen"];

function callRoute(transport: Transport, name: RouteName, request: Call): unknown {
  const address: Address = ADDRESSES[name];
  const [method, , gives, takes] = address;
  const hasBody = method !== "GET" && method !== "DELETE" && takes === "json";
  const body = hasBody ? (request.body ?? {}) : undefined;
  const isSafe = method === "GET" || (name === "appendMessages" && areNamed(body));
  const send = async () => {
    checkOptionNames(request, CALL_KEYS, name);
    return sendRequest(transport, address, { ...request, body, isSafe });
  };
  switch (gives) {
    case "json":
      return send().then((response) => response.json());
    case "text":
    case "html":
    case "css":
      return send().then((response) => response.text());
    case "bytes":
      return send().then((response) => response.blob());
    case "events":
      checkOptionNames(request, CALL_KEYS, name);
      return followEvents(transport, address, request);
    case "lines":
      return streamLazily(send, (response) => readLines(response.body, request.signal));
    case "stream":
      return streamLazily(send, (response) => readChunks(response, request.signal));
    default:
      return gives satisfies never;
  }
}

async function* streamLazily<Item>(
  send: () => Promise<Response>,
  read: (response: Response) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  yield* read(await send());
}

/** Messages with ids can be sent again: the server recognizes those that it has stored. */
function areNamed(body: unknown): boolean {
  if (typeof body !== "object" || body === null || !("messages" in body)) return false;
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [body.messages];
  return messages.every(
    (message) => typeof message === "object" && message !== null && "id" in message && typeof message.id === "string",
  );
}

/** `name` is what the options belong to, as the caller writes it: `createClient`. */
export function checkOptionNames(options: object, names: readonly string[], name: string): void {
  const unknown = Object.keys(options).find((key) => !names.includes(key));
  if (unknown !== undefined) throw invalid(`${name}: ${describeUnknownKey(unknown, names)}`);
}

export function checkUrl(url: unknown): void {
  if (typeof url === "string" && /^https?:\/\/./.test(url)) return;
  const found = describeValue(url);
  throw invalid(`createClient: url: expected the server's address, such as http://127.0.0.1:7420, found ${found}.`);
}

function invalid(text: string): ClientError {
  return new ClientError("config-invalid", text);
}
