/** A server on a real socket that records requests and replies like a model provider, by a script. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { TokenFigures } from "../core/log/cache-use.ts";
import { toJsonValue } from "../core/message/decode-value.ts";
import { isJsonObject, type JsonObject } from "../core/message/json.ts";

export type Wire = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

export interface RecordedRequest {
  readonly path: string;
  readonly wire: Wire | undefined;
  readonly streaming: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

export interface WireServer extends AsyncDisposable {
  /** Without a slash at the end; each client adds its own path. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Bytes of bodies handed to the network so far. */
  readonly bytesSent: number;
  /** Connections that clients still hold. Each reply closes its own, so that a leak is visible. */
  readonly openConnections: number;
  /** Resolves when no connection is left; rejects after the given time. */
  settle(timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

export type WireUsage = TokenFigures;

export interface WireAnswer {
  /** Anthropic's id of the message; always the same one by default. */
  readonly id?: string | undefined;
  readonly pieces: Iterable<string>;
  readonly stop: "end" | "output-limit" | "tool-call" | "refusal";
  readonly toolCall?: { readonly tool: string; readonly input: JsonObject } | undefined;
  readonly usage: WireUsage;
  /** Anthropic's own content blocks, instead of pieces and call. */
  readonly blocks?: readonly JsonObject[] | undefined;
  readonly inputTransformations?: readonly JsonObject[] | undefined;
}

/** `invalid`: a request that fails at every retry. */
export type ErrorKind = "overflow" | "rate-limit" | "server" | "auth" | "invalid";

/** How one provider writes its answers. */
export interface WireFormat {
  whole(answer: WireAnswer): JsonObject;
  /** Server-sent events: the name, if the wire has one, and the data. */
  events(answer: WireAnswer): Iterable<readonly [name: string | undefined, data: JsonObject | "[DONE]"]>;
  error(options: { readonly status: number; readonly code: string; readonly message: string }): JsonObject;
  readonly codes: Readonly<Record<ErrorKind, string>>;
}

/** Model name in every answer. */
export const SCRIPTED_MODEL = "scripted";

export type WireReply =
  | { readonly type: "answer"; readonly answer: WireAnswer }
  | {
      readonly type: "raw";
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  /** `play` writes the response itself, or leaves the request unanswered. */
  | { readonly type: "custom"; readonly play: (stage: Stage) => Promise<void> };

/** A request in progress. */
export interface Stage {
  readonly response: ServerResponse;
  readonly request: RecordedRequest;
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
  readonly counts: { sent: number };
}

export interface WireServerOptions {
  readonly reply: (request: RecordedRequest, index: number) => WireReply | Promise<WireReply>;
  readonly wires: Readonly<Partial<Record<Wire, WireFormat>>> & { readonly anthropic: WireFormat };
}

const MAX_REQUEST_BYTES = 64_000_000;
const SETTLE_MS = 20_000;

export async function startWireServer({ reply, wires }: WireServerOptions): Promise<WireServer> {
  const requests: RecordedRequest[] = [];
  const closing = new AbortController();
  const counts = { sent: 0 };
  const server = createServer((request, response) => {
    // Fails if the client disconnects, which some scripts cause.
    void serve(request, response).catch(() => response.destroy());
  });
  const connections = new Set<unknown>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readRequestBody(incoming);
    const request = recordRequest(incoming, read.body ?? {});
    const stage = { response, request, signal: closing.signal, counts };
    const format = wires[request.wire ?? "anthropic"] ?? wires.anthropic;
    const fail = (status: number, kind: ErrorKind, message: string): WireReply => ({
      type: "raw",
      status,
      body: JSON.stringify(format.error({ status, code: format.codes[kind], message })),
    });
    // An unreadable body is refused as the provider would, and not recorded.
    if (read.body === undefined) return playReply(fail(400, "invalid", read.fault), stage, format);
    const index = requests.push(request) - 1;
    // An error of the script becomes the response.
    const ask = async () => reply(request, index);
    const chosen = await ask().catch((error) => fail(500, "server", messageOf(error)));
    await playReply(chosen, stage, format);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const close = async () => {
    if (!server.listening) return;
    closing.abort();
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get bytesSent() {
      return counts.sent;
    },
    get openConnections() {
      return connections.size;
    },
    async settle(timeoutMs = SETTLE_MS) {
      const deadline = performance.now() + timeoutMs;
      while (connections.size > 0) {
        if (performance.now() > deadline) throw new Error(`${connections.size} connections are still open.`);
        await pause(5);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type ReadBody = { readonly body: JsonObject } | { readonly body: undefined; readonly fault: string };

async function readRequestBody(request: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) throw new Error(`The request is larger than ${MAX_REQUEST_BYTES} bytes.`);
    chunks.push(chunk);
  }
  try {
    const value = toJsonValue(JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}"), "body");
    return { body: isJsonObject(value) ? value : {} };
  } catch (error) {
    return { body: undefined, fault: `The request body is not valid JSON: ${messageOf(error)}` };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function recordRequest(request: IncomingMessage, body: JsonObject): RecordedRequest {
  const path = request.url ?? "/";
  const headers = Object.entries(request.headers).map(([name, header]) => [name, String(header)] as const);
  return { path, ...findWire(path, body), headers: Object.fromEntries(headers), body };
}

const ENDINGS: readonly (readonly [ending: string, wire: Wire])[] = [
  ["/chat/completions", "openai-chat"],
  ["/responses", "openai-responses"],
  ["/messages", "anthropic"],
  [":generateContent", "gemini"],
  [":streamGenerateContent", "gemini"],
];

function findWire(path: string, body: JsonObject): Pick<RecordedRequest, "wire" | "streaming"> {
  const [bare = ""] = path.split("?", 1);
  const wire = ENDINGS.find(([ending]) => bare.endsWith(ending))?.[1];
  if (wire === "gemini") return { wire, streaming: bare.endsWith(":streamGenerateContent") };
  return { wire, streaming: wire !== undefined && body.stream === true };
}

async function playReply(reply: WireReply, stage: Stage, format: WireFormat): Promise<void> {
  const { response, counts } = stage;
  if (reply.type === "custom") return reply.play(stage);
  if (reply.type === "raw") {
    const { status, body, headers } = reply;
    response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers });
    counts.sent += Buffer.byteLength(body);
    response.end(body);
    return;
  }
  for (const chunk of startAnswer(reply.answer, stage, format)) {
    counts.sent += Buffer.byteLength(chunk);
    response.write(chunk);
  }
  response.end();
}

/** Writes the header of an answer, and returns the chunks of its body. */
export function startAnswer(answer: WireAnswer, { response, request }: Stage, format: WireFormat): Iterable<string> {
  const type = request.streaming ? "text/event-stream" : "application/json";
  response.writeHead(200, { "content-type": type, connection: "close" });
  return request.streaming ? eventChunks(format, answer) : [JSON.stringify(format.whole(answer))];
}

function* eventChunks(format: WireFormat, answer: WireAnswer): Generator<string> {
  for (const [name, data] of format.events(answer)) {
    const event = name === undefined ? "" : `event: ${name}\n`;
    yield `${event}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  }
}
