/**
 * Sends a request to an upstream and returns its response with the bytes as they arrive, compressed or not. Node's
 * `fetch` would decompress them.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import http from "node:http";
import https from "node:https";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { RefusedRequest } from "../http/answer-error.ts";
import type { Upstream } from "./gateway-options.ts";

export interface ForwardedRequest {
  readonly method: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** Describe one connection, so they are not passed on. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Rejects if the upstream cannot be reached, or if the client has disconnected. */
export function forward(upstream: Upstream, request: ForwardedRequest): Promise<IncomingMessage> {
  const { method, target, body, signal } = request;
  const url = joinAddress(upstream.url, target);
  const headers = writeHeaders(request.headers, upstream);
  headers["content-length"] = String(body?.byteLength ?? 0);
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const answer = (incoming: IncomingMessage) => {
      isAnswered = true;
      resolve(incoming);
    };
    const outgoing = (url.protocol === "https:" ? https : http).request(url, { method, headers, signal }, answer);
    outgoing.once("error", (error) => {
      if (!isAnswered && wasIdle(outgoing, error)) resolve(forward(upstream, request));
      else reject(describeFailure(error, url));
    });
    outgoing.end(body);
  });
}

/** Whether the upstream has closed an idle connection just as the request was sent. Then it has not seen the request. */
function wasIdle({ reusedSocket }: ClientRequest, error: Error): boolean {
  return reusedSocket && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
}

const UNREACHABLE: readonly unknown[] = ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EPIPE"];

function describeFailure(error: Error, { host }: URL): Error {
  const code = "code" in error ? String(error.code) : "";
  // Codes with this prefix are of Node's HTTP parser: the upstream does not speak HTTP.
  if (!code.startsWith("HPE_") && !UNREACHABLE.includes(code)) return error;
  const text = `The upstream ${host} cannot be reached (${code}). Try again, or check its address.`;
  return new RefusedRequest("upstream-unreachable", text);
}

/** Joins an address with or without `/v1` at its end and a path that begins with `/v1`. */
function joinAddress(base: URL, target: string): URL {
  const prefix = base.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  return new URL(`${prefix}${target}`, base.origin);
}

function writeHeaders(headers: Headers, { vendor, apiKey }: Upstream): Record<string, string> {
  const sent = Object.fromEntries([...headers].filter(([name]) => !CONNECTION_HEADERS.has(name)));
  if (apiKey === undefined) return sent;
  const { authorization: _, "x-api-key": __, ...others } = sent;
  return vendor === "anthropic" ? { ...others, "x-api-key": apiKey } : { ...others, authorization: `Bearer ${apiKey}` };
}

/** Returns the headers of a response that are passed on to the client. */
export function readHeaders(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    if (CONNECTION_HEADERS.has(name)) continue;
    for (const value of values) headers.append(name, value);
  }
  return headers;
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Returns a stream that undoes a content encoding, or undefined for an unknown one. */
export function createDecoder(encoding: string): Transform | undefined {
  return DECODERS[encoding.trim().toLowerCase()]?.();
}
