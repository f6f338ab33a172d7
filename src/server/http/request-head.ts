/** What of a request decides whether it is let in, in whatever way it came: by HTTP, as an upgrade, or in process. */
import type { IncomingMessage } from "node:http";

export interface RequestHead {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly header: (name: string) => string | undefined;
  /** Of the socket; undefined in process. */
  readonly address: string | undefined;
}

export function headOfRequest(request: Request, address: string | undefined): RequestHead {
  const start = request.url.indexOf("/", request.url.indexOf("//") + 2);
  return {
    method: request.method,
    target: start === -1 ? "/" : request.url.slice(start),
    // Who asks in process has no such header; over a socket the address of the request was made of it.
    header: (name) => request.headers.get(name) ?? (name === "host" ? new URL(request.url).host : undefined),
    address,
  };
}

export function headOfIncoming(incoming: IncomingMessage): RequestHead {
  return {
    method: incoming.method ?? "GET",
    target: incoming.url ?? "/",
    header: (name) => incoming.headersDistinct[name]?.join(", "),
    address: incoming.socket.remoteAddress,
  };
}
