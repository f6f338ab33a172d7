/**
 * The app on a socket, with limits for those who are slow, send too much before they say anything, or speak no HTTP.
 * What the app never sees is refused here in the same words and with the same headers. Ending lets what is under way
 * finish for a while and then cuts the rest.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { PalimpsestError } from "../../core/errors.ts";
import type { ProtocolCode } from "../../protocol/error-status.ts";
import { refuseUpgrade } from "../access/guard-upgrade.ts";
import { answerError, RefusedRequest } from "../http/answer-error.ts";
import { BODY_LIMITS } from "../http/read-body.ts";
import { secure } from "../http/security-headers.ts";
import type { App } from "./create-app.ts";
import { createTurns } from "./take-turns.ts";

export interface SocketLimits {
  /** For the head of a request; bodies have limits of their own. */
  readonly headMs: number;
  readonly headerBytes: number;
  readonly headers: number;
  readonly connections: number;
  /** How long a connection without a request is kept. */
  readonly idleMs: number;
  /** How long a client may take nothing of what is sent to it. */
  readonly stuckMs: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  headMs: 10_000,
  headerBytes: 16_384,
  headers: 100,
  connections: 2_000,
  idleMs: 15_000,
  stuckMs: 120_000,
};

export interface ListenOptions {
  readonly app: App;
  readonly host: string;
  readonly port: number;
  readonly limits?: SocketLimits | undefined;
}

export interface Listening {
  readonly server: Server;
  readonly port: number;
  /** Requests that are not answered to their end. */
  underWay(): number;
  /** Resolves when no request is under way any more, or after so many milliseconds; true where all were finished. */
  drain(withinMs: number): Promise<boolean>;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** How often slow heads are looked for. */
const LOOK_MS = 1_000;
/** For whoever is still sending a body that was refused, to read why. */
const LINGER_MS = 1_000;

export async function listen({ app, host, port, limits = SOCKET_LIMITS }: ListenOptions): Promise<Listening> {
  const underWay = new Set<ServerResponse>();
  const working = new Set<Promise<void>>();
  const sockets = new Set<Socket>();
  const serving = new WeakMap<Socket, ServerResponse>();
  const answer = createListener(app);
  const turns = createTurns();
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    underWay.add(outgoing);
    serving.set(incoming.socket, outgoing);
    outgoing.once("close", () => underWay.delete(outgoing));
    outgoing.once("finish", () => endUnread(incoming));
    turns.take(() => {
      const work = answer(incoming, outgoing).finally(() => working.delete(work));
      working.add(work);
    });
  };
  const server = createServer(settingsOf(limits), onRequest);
  server.maxHeadersCount = limits.headers;
  server.maxConnections = limits.connections;
  server.timeout = limits.stuckMs;
  server.on("timeout", (socket) => endStuck(socket, serving.get(socket)));
  server.on("connection", (socket) => {
    turns.putOff();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("checkContinue", (incoming, outgoing) => {
    // Who announces too much is answered before they send it.
    if (!isTooLong(incoming)) outgoing.writeContinue();
    onRequest(incoming, outgoing);
  });
  server.on("checkExpectation", (incoming) => refuse(incoming.socket, "expectation-unknown"));
  server.on("connect", (_, socket) => refuse(socket, "method-not-allowed"));
  server.on("clientError", (error, socket) => refuse(socket, codeOf(error)));
  await bind(server, { host, port });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    underWay: () => underWay.size,
    drain: (withinMs) => drain({ underWay, working }, withinMs),
    close: () => close(server, sockets),
  };
}

function settingsOf({ headMs, headerBytes, idleMs }: SocketLimits) {
  return {
    headersTimeout: headMs,
    // Bodies are timed where they are read: an import may take its time.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(LOOK_MS, headMs),
    keepAliveTimeout: idleMs,
    maxHeaderSize: headerBytes,
    // Answered by the app, with the words and headers of every other refusal.
    requireHostHeader: false,
  };
}

function createListener(app: App) {
  const listener = getRequestListener(
    (request, { incoming }) => app.fetch(request, { address: incoming.socket.remoteAddress }),
    {
      overrideGlobalObjects: false,
      // A request that cannot be made of what was sent.
      errorHandler: () => {
        const refused = new RefusedRequest("request-invalid", "The address or the host of the request cannot be read.");
        const { status, body } = answerError(refused, "");
        return secure(Response.json(body, { status, headers: { connection: "close" } }), "");
      },
    },
  );
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    // One that names another host beside its host header, or two of them, means to be understood differently by others.
    const isPlain = incoming.url?.startsWith("/") === true && (incoming.headersDistinct.host ?? []).length <= 1;
    if (!isPlain) return refuse(incoming.socket, "request-invalid");
    await listener(incoming, outgoing);
  };
}

/** One that is quiet because we are is left alone: a tool may take its time. */
function endStuck(socket: Socket, outgoing: ServerResponse | undefined): void {
  const isServing = outgoing !== undefined && !outgoing.closed;
  if (!isServing || socket.writableLength > 0) socket.destroy();
}

/** A body that nobody read would be waited for until its sender is done. */
function endUnread(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  const timer = setTimeout(() => incoming.complete || incoming.socket.destroy(), LINGER_MS);
  timer.unref();
}

function isTooLong({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"] ?? 0) > BODY_LIMITS.bytes && /json/i.test(headers["content-type"] ?? "json");
}

const REFUSALS: Readonly<Partial<Record<ProtocolCode, string>>> = {
  "request-invalid": "This is no request that can be read.",
  "header-too-large": "The head of the request is too large.",
  "request-too-slow": "The head of the request came too slowly.",
  "expectation-unknown": "Only 100-continue can be expected here.",
  "method-not-allowed": "This server is no proxy.",
};

function refuse(socket: Duplex, code: ProtocolCode): void {
  refuseUpgrade(socket, new RefusedRequest(code, REFUSALS[code] ?? "Refused."));
}

function codeOf(error: Error): ProtocolCode {
  const code = "code" in error ? error.code : undefined;
  if (code === "HPE_HEADER_OVERFLOW") return "header-too-large";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "request-too-slow" : "request-invalid";
}

async function bind(server: Server, place: { readonly host: string; readonly port: number }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onError = (error: Error): void => reject(explain(error, place));
    server.once("error", onError);
    server.listen(place.port, place.host, () => {
      server.off("error", onError);
      resolve();
    });
  });
}

interface Unfinished {
  readonly underWay: ReadonlySet<ServerResponse>;
  /** What a client asked for before it went away is done all the same. */
  readonly working: ReadonlySet<Promise<void>>;
}

async function drain({ underWay, working }: Unfinished, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (underWay.size + working.size > 0 && performance.now() < until) {
    const [[next], [work]] = [underWay, working];
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      if (next === undefined) void work?.then(resolve);
      else next.once("close", resolve);
      timer = setTimeout(resolve, until - performance.now());
    });
    clearTimeout(timer);
  }
  return underWay.size + working.size === 0;
}

/** Those that became something else than HTTP are no longer known to the server, which waits for them all the same. */
async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
}

function explain(error: Error, { host, port }: { readonly host: string; readonly port: number }): Error {
  const code = "code" in error ? error.code : undefined;
  const key = code === "EADDRNOTAVAIL" || code === "ENOTFOUND" ? "host" : "port";
  const details = { key };
  if (code === "EADDRINUSE") {
    const text = `port: ${port} is taken on ${host}, perhaps by a server of ours that runs already. End it, or choose another with --port.`;
    return new PalimpsestError("config-invalid", text, { details, cause: error });
  }
  if (code === "EACCES") {
    const text = `port: ${port} may not be used by this user. Choose one above 1023 with --port.`;
    return new PalimpsestError("config-invalid", text, { details, cause: error });
  }
  const text = `${key}: ${host}:${port} cannot be listened on: ${error.message}.`;
  return new PalimpsestError("config-invalid", text, { details, cause: error });
}
