/** The parts of a request that decide on access, the same for HTTP requests, upgrades and requests in process. */
import type { IncomingMessage } from "node:http";

export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly header: (name: string) => string | undefined;
  /** Address of the socket; undefined in process. */
  readonly address: string | undefined;
}

export function readRequestHead(request: Request, address: string | undefined): RequestHead {
  const start = request.url.indexOf("/", request.url.indexOf("//") + 2);
  return {
    method: request.method,
    target: start === -1 ? "/" : request.url.slice(start),
    // An in-process request has no host header. Over a socket, the URL was built from that header.
    header: (name) => request.headers.get(name) ?? (name === "host" ? new URL(request.url).host : undefined),
    address,
  };
}

export function readIncomingHead(incoming: IncomingMessage): RequestHead {
  return {
    method: incoming.method ?? "GET",
    target: incoming.url ?? "/",
    header: (name) => incoming.headersDistinct[name]?.join(", "),
    address: incoming.socket.remoteAddress,
  };
}
