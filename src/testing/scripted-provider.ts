/**
 * A model provider on a real socket that does what a script says: chat completions, responses, messages and
 * generateContent, whole or streamed, and every way to fail. It records what it was asked, so that a test can say what
 * went over the wire, and it ends with the test: `await using provider = await startScriptedProvider(script)`.
 *
 * It thinks nothing: replies come in the order of the script, whatever is asked.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { toJsonValue } from "../core/message/decode-value.ts";
import { isJsonObject, type JsonObject } from "../core/message/json.ts";
import type { ScriptedReply, ScriptedUsage, WireAnswer } from "./scripted-provider-reply.ts";
import { findWire, WIRES, type Wire, type WireError, type WireTarget, wireError } from "./scripted-provider-wire.ts";

export interface RecordedRequest {
  readonly path: string;
  readonly wire: Wire | undefined;
  readonly streaming: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

export interface ScriptedProvider extends AsyncDisposable {
  /** Without a slash at the end; each client adds its own path. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Bytes of bodies handed to the network so far. */
  readonly bytesSent: number;
  /** Connections that a client still holds. Each reply closes its own, so none are left when nothing leaks. */
  readonly openConnections: number;
  /** Resolves when no connection is left; rejects after the given time. */
  settle(timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** A list that is played once in order, or a function that is asked for each request. */
export type Script =
  | readonly ScriptedReply[]
  | ((request: RecordedRequest, index: number) => ScriptedReply | Promise<ScriptedReply>);

export const SCRIPTED_USAGE: ScriptedUsage = {
  inputTokens: 1_200,
  outputTokens: 48,
  cacheReadTokens: 1_024,
  cacheWriteTokens: 100,
};

const MAX_REQUEST_BYTES = 64_000_000;
const PIECE_LENGTH = 12;
const FLOOD_PIECE = "The same words again and again. ".repeat(512);
const SETTLE_MS = 20_000;

export async function startScriptedProvider(script: Script): Promise<ScriptedProvider> {
  const requests: RecordedRequest[] = [];
  const closing = new AbortController();
  const counts = { sent: 0 };
  const server = createServer((request, response) => {
    // What goes wrong here is a client that went away, which is what some scripts are about.
    void serve(request, response).catch(() => response.destroy());
  });
  const connections = new Set<unknown>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readBody(request);
    const recorded = recordRequest(request, read.body ?? {});
    const stage = { response, target: recorded, signal: closing.signal, counts };
    // A body that cannot be read is refused as the provider does it, and stands among no requests.
    if (read.body === undefined) {
      return playReply(failWith(recorded, { status: 400, kind: "invalid", message: read.fault }), stage);
    }
    await playReply(await findReply(script, recorded, requests.push(recorded) - 1), stage);
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

async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) throw new Error("The request is larger than a script is for.");
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
  const target = findWire(path, body);
  return {
    path,
    wire: target?.wire,
    streaming: target?.streaming ?? false,
    headers: Object.fromEntries(headers),
    body,
  };
}

/** An answer in the form of the provider; in Anthropic's where the address is none that a provider has. */
function failWith({ wire = "anthropic" }: RecordedRequest, error: WireError): ScriptedReply {
  return { type: "raw", status: error.status, body: JSON.stringify(wireError(wire, error)) };
}

async function findReply(script: Script, request: RecordedRequest, index: number): Promise<ScriptedReply> {
  if (typeof script === "function") {
    try {
      return await script(request, index);
    } catch (error) {
      // A fault of the script: its author reads it where the answer arrives.
      return failWith(request, { status: 500, kind: "server", message: messageOf(error) });
    }
  }
  const body = JSON.stringify({ error: { message: `The script has ${script.length} replies; this is one more.` } });
  return script[index] ?? { type: "raw", status: 400, body };
}

interface Stage {
  readonly response: ServerResponse;
  readonly target: RecordedRequest;
  readonly signal: AbortSignal;
  readonly counts: { sent: number };
}

async function playReply(reply: ScriptedReply, stage: Stage): Promise<void> {
  const { wire, streaming } = stage.target;
  if (reply.type === "raw") return sendBody(stage, reply);
  if (wire === undefined) return sendBody(stage, { status: 404, body: "{}" });
  switch (reply.type) {
    case "hang":
      return;
    case "error":
      return sendBody(stage, { ...reply, body: JSON.stringify(wireError(wire, reply)) });
    case "blocks":
      if (wire !== "anthropic") return sendBody(stage, { status: 400, body: "{}" });
      return sendAnswer(reply, stage, { wire, streaming });
    case "text":
    case "tool-call":
    case "refusal":
    case "flood":
      return sendAnswer(reply, stage, { wire, streaming });
    default: {
      const unknown: never = reply;
      throw new TypeError(`Unknown reply ${JSON.stringify(unknown)}`);
    }
  }
}

interface Body {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

async function sendBody({ response, counts }: Stage, { status, body, headers }: Body): Promise<void> {
  response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers });
  counts.sent += Buffer.byteLength(body);
  response.end(body);
}

type ScriptedText = Extract<ScriptedReply, { readonly type: "text" }>;
type AnswerReply = Exclude<ScriptedReply, { readonly type: "hang" | "raw" | "error" }>;

async function sendAnswer(reply: AnswerReply, stage: Stage, { wire, streaming }: WireTarget): Promise<void> {
  const answer = answerOf(reply);
  const type = streaming ? "text/event-stream" : "application/json";
  stage.response.writeHead(200, { "content-type": type, connection: "close" });
  const chunks = streaming ? eventChunks(wire, answer) : [JSON.stringify(WIRES[wire].whole(answer))];
  const { heldUntil, ...manner }: Partial<ScriptedText> = reply.type === "text" ? reply : {};
  const startedAt = stage.counts.sent;
  for await (const chunk of heldUntil === undefined ? chunks : hold(chunks, heldUntil)) {
    if (!(await sendChunk(chunk, { ...stage, startedAt, ...manner }))) return;
  }
  stage.response.end();
}

async function* hold(chunks: Iterable<string>, until: Promise<unknown>): AsyncGenerator<string> {
  const all = [...chunks];
  const half = Math.ceil(all.length / 2);
  yield* all.slice(0, half);
  await until;
  yield* all.slice(half);
}

function* eventChunks(wire: Wire, answer: WireAnswer): Generator<string> {
  for (const [name, data] of WIRES[wire].events(answer)) {
    const event = name === undefined ? "" : `event: ${name}\n`;
    yield `${event}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  }
}

function answerOf(reply: AnswerReply): WireAnswer {
  const usage = SCRIPTED_USAGE;
  switch (reply.type) {
    case "text":
      return { pieces: cutText(reply.text), stop: reply.stop ?? "end", usage: reply.usage ?? usage };
    case "refusal":
      return { pieces: cutText(reply.text), stop: "refusal", usage };
    case "tool-call":
      return { pieces: [], stop: "tool-call", toolCall: reply, usage };
    case "blocks": {
      const stop = reply.blocks.some((block) => block.type === "tool_use") ? "tool-call" : "end";
      return { pieces: [], stop, ...reply, usage: reply.usage ?? usage };
    }
    case "flood":
      return { pieces: floodPieces(reply.bytes), stop: "end", usage };
    default: {
      const unknown: never = reply;
      throw new TypeError(`Unknown reply ${JSON.stringify(unknown)}`);
    }
  }
}

/** Pieces as a model streams them, a few words at a time. */
function cutText(text: string): readonly string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / PIECE_LENGTH);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH).join(""),
  );
}

function* floodPieces(bytes: number): Generator<string> {
  for (let sent = 0; sent < bytes; sent += FLOOD_PIECE.length) yield FLOOD_PIECE;
}

interface Delivery extends Stage {
  /** What was sent before this answer. */
  readonly startedAt: number;
  readonly byteEveryMs?: number | undefined;
  readonly resetAfterBytes?: number | undefined;
}

/** False when the connection is gone, by the script or by the client. */
async function sendChunk(chunk: string, delivery: Delivery): Promise<boolean> {
  const { response, signal, counts, startedAt, byteEveryMs, resetAfterBytes = Number.POSITIVE_INFINITY } = delivery;
  const bytes = Buffer.from(chunk);
  const step = byteEveryMs === undefined ? bytes.length : 1;
  for (let start = 0; start < bytes.length; start += step) {
    if (response.destroyed || signal.aborted) return false;
    if (counts.sent - startedAt >= resetAfterBytes) {
      response.socket?.resetAndDestroy();
      return false;
    }
    const slice = bytes.subarray(start, start + step);
    counts.sent += slice.length;
    if (!response.write(slice)) await drained(response);
    if (byteEveryMs === 0) await nextTurn();
    else if (byteEveryMs !== undefined) await pause(byteEveryMs, undefined, { signal });
  }
  return true;
}

/** Resolves when the reader has room again or is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
