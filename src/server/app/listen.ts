/** Serves the app on a socket, with limits for slow clients, large heads and invalid HTTP. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { PalimpsestError } from "../../core/errors.ts";
import type { ProtocolCode } from "../../protocol/error-status.ts";
import { createProxies, networkOf, type Proxies } from "../access/client-address.ts";
import { refuseUpgrade } from "../access/guard-upgrade.ts";
import { answerError, RefusedRequest } from "../http/answer-error.ts";
import { closeConnection, discardBody, isClosing } from "../http/close-connection.ts";
import { readIncomingHead } from "../http/request-head.ts";
import { addSecurityHeaders, SECURITY_HEADERS } from "../http/security-headers.ts";
import { type ConnectionLimits, Connections } from "./connections.ts";
import type { App } from "./create-app.ts";
import { createRequestQueue } from "./request-queue.ts";

export interface SocketLimits extends ConnectionLimits {
  readonly headerBytes: number;
  readonly headers: number;
  /** How long a connection without a request stays open. */
  readonly idleMs: number;
  /** How long a client may stop reading its answer. */
  readonly stuckMs: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  headMs: 10_000,
  headerBytes: 16_384,
  headers: 100,
  connections: 2_000,
  connectionsPerAddress: 1_000,
  idleMs: 15_000,
  stuckMs: 120_000,
};

export interface ListenOptions {
  readonly app: App;
  readonly host: string;
  readonly port: number;
  readonly limits?: SocketLimits | undefined;
  /** Proxies whose forwarded addresses count. */
  readonly proxies?: Proxies | undefined;
}

export interface SocketListener {
  readonly server: Server;
  readonly port: number;
  openRequests(): number;
  /** Resolves to true when all requests are finished, or to false after the time limit. */
  drain(withinMs: number): Promise<boolean>;
  close(): Promise<void>;
}

/** How often connections are checked for slow heads. */
const CHECK_MS = 1_000;

export async function listen(options: ListenOptions): Promise<SocketListener> {
  const { app, host, port, limits = SOCKET_LIMITS, proxies = createProxies([]) } = options;
  const underWay = new Set<ServerResponse>();
  const working = new Set<Promise<void>>();
  const connections = new Connections(limits, proxies);
  const serving = new WeakMap<Socket, ServerResponse>();
  const answer = createListener(app, connections);
  const queue = createRequestQueue();
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (isClosing(incoming.socket)) return void incoming.resume();
    underWay.add(outgoing);
    serving.set(incoming.socket, outgoing);
    connections.start(incoming.socket, incoming);
    outgoing.once("close", () => {
      underWay.delete(outgoing);
      connections.finish(incoming.socket, incoming);
    });
    outgoing.once("finish", () => discardBody(incoming));
    queue.add(networkOf(proxies.findClient(readIncomingHead(incoming)) ?? ""), () => {
      // A stream to a closed connection would never end.
      if (isClosing(incoming.socket) || incoming.socket.destroyed) return;
      const work = answer(incoming, outgoing).finally(() => working.delete(work));
      working.add(work);
    });
  };
  const server = createServer(describeLimits(limits), onRequest);
  server.maxHeadersCount = limits.headers;
  server.timeout = limits.stuckMs;
  server.on("timeout", (socket) => closeStalled(socket, serving.get(socket)));
  server.on("connection", (socket) => {
    queue.delay();
    closeAfterBody(socket, () => serving.get(socket)?.req);
    connections.add(socket);
  });
  server.on("upgrade", ({ socket }) => connections.start(socket));
  server.on("checkContinue", (incoming, outgoing) => {
    // A body that is announced as too large is refused before it is sent.
    if (!app.isTooLarge(readIncomingHead(incoming))) outgoing.writeContinue();
    onRequest(incoming, outgoing);
  });
  server.on("checkExpectation", (incoming) => refuseSocket(incoming.resume().socket, "expectation-unknown"));
  server.on("connect", (_, socket) => refuseSocket(socket, "method-not-allowed"));
  server.on("clientError", (error, socket) => refuseSocket(socket, findCode(error)));
  await bind(server, { host, port });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    openRequests: () => underWay.size,
    drain: (withinMs) => drain(underWay, working, withinMs),
    close: () => close(server, connections.sockets),
  };
}

function describeLimits({ headMs, headerBytes, idleMs }: SocketLimits) {
  return {
    headersTimeout: headMs,
    // The code that reads a body sets its time limit, because an import may take a long time.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(CHECK_MS, headMs),
    keepAliveTimeout: idleMs,
    maxHeaderSize: headerBytes,
    // The app refuses a missing host with its usual message and headers.
    requireHostHeader: false,
  };
}

function createListener(app: App, connections: Connections) {
  const listener = getRequestListener(
    (request, { incoming, outgoing }) => {
      const disconnect = () => void outgoing.destroy();
      return app.fetch(request, { address: incoming.socket.remoteAddress, disconnect });
    },
    {
      overrideGlobalObjects: false,
      // The automatic cleanup would close the connection of a refused body after half a second.
      autoCleanupIncoming: false,
      errorHandler: () => {
        const refused = new RefusedRequest("request-invalid", "The address or the host of the request is invalid.");
        const { status, body } = answerError(refused, "");
        return addSecurityHeaders(Response.json(body, { status, headers: { connection: "close" } }), "");
      },
    },
  );
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    // A second host could be read differently by a proxy.
    const isPlain = incoming.url?.startsWith("/") === true && (incoming.headersDistinct.host ?? []).length <= 1;
    if (!isPlain) return refuseSocket(incoming.resume().socket, "request-invalid");
    try {
      outgoing.once("close", connections.admit(incoming));
    } catch (error) {
      return answerDirectly(outgoing, error);
    }
    await listener(incoming, outgoing);
  };
}

/** Answers a request that never reaches the app. */
function answerDirectly(outgoing: ServerResponse, error: unknown): void {
  const { status, headers, body } = answerError(error, "");
  outgoing.writeHead(status, { ...SECURITY_HEADERS, ...headers, "content-type": "application/json" });
  outgoing.end(JSON.stringify(body));
}

/** Keeps a connection that waits for the server: a tool may run for a long time. */
function closeStalled(socket: Socket, outgoing: ServerResponse | undefined): void {
  const isServing = outgoing !== undefined && !outgoing.closed;
  if (!isServing || socket.writableLength > 0) socket.destroy();
}

/** Replaces `destroySoon`: after the last answer, Node closes a connection even if the client is still sending. */
function closeAfterBody(socket: Socket, findRequest: () => IncomingMessage | undefined): void {
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => (findRequest()?.complete === false ? closeConnection(socket) : destroySoon());
}

const REFUSALS: Readonly<Partial<Record<ProtocolCode, string>>> = {
  "request-invalid": "The request is not valid HTTP.",
  "header-too-large": "The head of the request is too large.",
  "request-too-slow": "The head of the request arrived too slowly.",
  "expectation-unknown": "The only supported expectation is 100-continue.",
  "method-not-allowed": "This server is not a proxy.",
};

function refuseSocket(socket: Duplex, code: ProtocolCode): void {
  refuseUpgrade(socket, new RefusedRequest(code, REFUSALS[code] ?? "Refused."));
}

function findCode(error: Error): ProtocolCode {
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

/** `working` includes requests whose client has disconnected, because they are still completed. */
async function drain(
  underWay: ReadonlySet<ServerResponse>,
  working: ReadonlySet<Promise<void>>,
  withinMs: number,
): Promise<boolean> {
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

/** Destroys upgraded sockets too: the server waits for them but no longer tracks them. */
async function close(server: Server, sockets: Iterable<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of [...sockets]) socket.destroy();
  await closed;
}

function explain(error: Error, { host, port }: { readonly host: string; readonly port: number }): Error {
  const code = "code" in error ? error.code : undefined;
  const key = code === "EADDRNOTAVAIL" || code === "ENOTFOUND" ? "host" : "port";
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `${port} is already in use on ${host}, perhaps by another Palimpsest server. Stop it, or choose another port with --port.`,
    EACCES: `this user may not use ${port}. Choose a port above 1023 with --port.`,
  };
  const text = `${key}: ${reasons[String(code)] ?? `cannot listen on ${host}:${port}: ${error.message}.`}`;
  return new PalimpsestError("config-invalid", text, { details: { key }, cause: error });
}
