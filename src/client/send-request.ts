/** Sends one request over fetch. Only requests that may be repeated are retried, a few times. */
import type { Address } from "../protocol/addresses.ts";
import { ClientError, readErrorResponse } from "./client-error.ts";

export type Fetch = (request: Request) => Response | Promise<Response>;

type Line = string | Uint8Array<ArrayBuffer> | Blob;
/** Lines as text, or bytes in pieces that may end anywhere. */
export type LinesInput = AsyncIterable<Line> | Iterable<Line>;

export interface Transport {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token?: string | undefined;
  readonly fetch: Fetch;
  /** Attempts of one request, including the first. */
  readonly attempts: number;
}

export interface CallOptions {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  /** Instead of a body: JSON Lines as text, or a file's bytes in pieces. */
  readonly lines?: LinesInput | undefined;
  /** Instead of a body: bytes of a media type. */
  readonly bytes?: Blob | Uint8Array<ArrayBuffer> | undefined;
  readonly mediaType?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly isSafe: boolean;
}

export async function sendRequest(transport: Transport, address: Address, options: CallOptions): Promise<Response> {
  const { signal, isSafe } = options;
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await tryOnce(transport, address, options);
    } catch (error) {
      const isLast = !isSafe || attempt + 1 >= transport.attempts;
      if (isLast || !(error instanceof ClientError) || !error.retryable) throw error;
      await pause(backoffMs(attempt, error.retryAfterMs), signal);
    }
  }
}

async function tryOnce(transport: Transport, address: Address, options: CallOptions): Promise<Response> {
  const request = await writeRequest(transport, address, options);
  let response: Response;
  try {
    response = await transport.fetch(request);
  } catch (error) {
    options.signal?.throwIfAborted();
    const text = `${transport.url} cannot be reached. Check that the server is running and that the address is right.`;
    throw new ClientError("unreachable", text, { retryable: true, cause: error });
  }
  if (response.ok) return response;
  throw await readErrorResponse(response);
}

async function writeRequest(transport: Transport, address: Address, options: CallOptions): Promise<Request> {
  const [method, path] = address;
  const headers = new Headers(options.headers);
  if (transport.token !== undefined) headers.set("authorization", `Bearer ${transport.token}`);
  const url = `${transport.url}${fillIn(path, options.params ?? {})}${writeQuery(options.query ?? {})}`;
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  const content = await writeContent(options);
  if (content === undefined) return new Request(url, { method, headers, ...signal });
  headers.set("content-type", content.type);
  // Fetch requires this option for a streamed body.
  const duplex = content.body instanceof ReadableStream ? { duplex: "half" as const } : {};
  return new Request(url, { method, headers, body: content.body, ...duplex, ...signal });
}

async function writeContent({ body, lines, bytes, mediaType }: CallOptions) {
  if (lines !== undefined) return { type: "application/x-ndjson", body: await createLinesBody(lines) };
  if (bytes !== undefined) return { type: mediaType ?? "application/octet-stream", body: bytes };
  return body === undefined ? undefined : { type: "application/json", body: JSON.stringify(body) };
}

function fillIn(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name] ?? "");
    // Browsers and servers resolve these as relative path segments, encoded or not.
    if (value === "" || value === "." || value === "..") {
      throw new ClientError("request-invalid", `params.${name}: expected an id.`);
    }
    return encodeURIComponent(value.toWellFormed());
  });
}

function writeQuery(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

/** Browsers stream a body only over HTTP/2, which a local server lacks, so they send it whole. */
async function createLinesBody(lines: NonNullable<CallOptions["lines"]>): Promise<ReadableStream<Uint8Array> | Blob> {
  if (!("document" in globalThis) && !("WorkerGlobalScope" in globalThis)) return streamLines(lines);
  const parts: (string | Uint8Array<ArrayBuffer> | Blob)[] = [];
  for await (const line of lines) parts.push(typeof line === "string" ? endLine(line) : line);
  return new Blob(parts);
}

function streamLines(lines: NonNullable<CallOptions["lines"]>): ReadableStream<Uint8Array> {
  const iterator = (async function* () {
    yield* lines;
  })();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(await encodePiece(next.value));
    },
    async cancel() {
      await iterator.return(undefined);
    },
  });
}

async function encodePiece(piece: string | Uint8Array | Blob): Promise<Uint8Array> {
  if (typeof piece === "string") return new TextEncoder().encode(endLine(piece));
  return piece instanceof Uint8Array ? piece : new Uint8Array(await piece.arrayBuffer());
}

function endLine(line: string): string {
  return line.endsWith("\n") ? line : `${line}\n`;
}

const FIRST_MS = 250;
const MAX_PAUSE_MS = 30_000;

/** Grows with each attempt, is random, and is never shorter than the server requested. */
export function backoffMs(attempt: number, atLeastMs = 0): number {
  const span = Math.min(MAX_PAUSE_MS, FIRST_MS * 2 ** attempt);
  return Math.max(atLeastMs, span / 2 + (Math.random() * span) / 2);
}

export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const ended = Promise.withResolvers<void>();
  const timer = setTimeout(ended.resolve, milliseconds);
  await waitUnlessAborted(ended.promise, signal).finally(() => clearTimeout(timer));
}

/** Rejects with the signal's reason as soon as it is aborted. */
export function waitUnlessAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
