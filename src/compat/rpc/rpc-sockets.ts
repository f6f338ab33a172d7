/** JSON-RPC over WebSockets, with the checks of the HTTP route. Idle connections are pinged to find dead ones. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { RPC_PROTOCOL } from "../../protocol/rpc-codes.ts";
import { RPC_ROUTES } from "../../protocol/rpc-methods.ts";
import { refuseUpgrade } from "../../server/access/guard-upgrade.ts";
import { createRateLimit, type RateRule } from "../../server/access/rate-limit.ts";
import { RefusedRequest } from "../../server/http/answer-error.ts";
import type { BodyBudget } from "../../server/http/body-budget.ts";
import { BODY_LIMITS } from "../../server/http/read-body.ts";
import type { Tenant } from "../../server/tenants/tenants.ts";
import { RpcConnection } from "./rpc-connection.ts";
import type { RpcContexts } from "./rpc-context.ts";

const HEARTBEAT_MS = 30_000;
/** Limit for each tenant. */
const MAX_CONNECTIONS = 100;
const RATE: RateRule = { perSecond: 50, burst: 200 };
const CLOSE_GOING_AWAY = 1001;
const CLOSE_REFUSED = 1008;
/** How often the tokens of open connections are checked. */
const CHECK_MS = 1_000;
const CLOSE_WITHIN_MS = 1_000;

export interface RpcSocketsOptions {
  readonly contexts: RpcContexts;
  readonly bodies: BodyBudget;
  /** Checks the request and returns its sender. Throws `RefusedRequest`. */
  readonly admit: (request: IncomingMessage) => Promise<AdmittedRequest>;
  /** True during shutdown: pending requests are answered, new ones refused. */
  readonly isStopping: () => boolean;
  readonly onFailure: (requestId: string, error: unknown) => void;
  /** Called with each connection; returns a function to call at its end. */
  readonly onOpen: () => () => void;
  readonly heartbeatMs?: number | undefined;
  readonly rate?: RateRule | undefined;
}

export interface AdmittedRequest {
  readonly tenant: Tenant;
  /** Name of the sender, to whom the memory of its messages is charged. */
  readonly name: string;
  /** Returns false once the sender's token is no longer valid. */
  readonly isValid: () => boolean;
}

export interface RpcSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Answers pending requests and closes all connections. */
  close(): Promise<void>;
}

export function createRpcSockets(options: RpcSocketsOptions): RpcSockets {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: BODY_LIMITS.bytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(RPC_PROTOCOL) ? RPC_PROTOCOL : false),
  });
  server.on("wsClientError", (_, socket) =>
    refuseUpgrade(socket, new RefusedRequest("request-invalid", "This is not a valid WebSocket request.")),
  );
  const connections = new Map<RpcConnection, AdmittedRequest>();
  const heartbeat = setInterval(() => {
    for (const connection of connections.keys()) connection.check();
  }, options.heartbeatMs ?? HEARTBEAT_MS);
  heartbeat.unref();
  const expiry = setInterval(() => {
    for (const [connection, { isValid }] of connections) {
      if (!isValid()) void connection.close(CLOSE_REFUSED, "The token is no longer valid.");
    }
  }, CHECK_MS);
  expiry.unref();
  return {
    upgrade(request, socket, head) {
      const destroy = () => socket.destroy();
      socket.on("error", destroy);
      admit(request, { options, connections })
        .then((open) => {
          socket.off("error", destroy);
          server.handleUpgrade(request, socket, head, (webSocket) => open(webSocket, socket));
        })
        .catch((error: unknown) => refuseUpgrade(socket, error));
    },
    async close() {
      clearInterval(heartbeat);
      clearInterval(expiry);
      const ending = [...connections.keys()].map((each) =>
        each.close(CLOSE_GOING_AWAY, "The server is shutting down."),
      );
      const late = new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS).unref());
      await Promise.race([Promise.all(ending).then(() => waitUntilEmpty(connections)), late]);
      for (const client of server.clients) client.terminate();
    },
  };
}

async function waitUntilEmpty(connections: ReadonlyMap<RpcConnection, AdmittedRequest>): Promise<void> {
  while (connections.size > 0) await new Promise((resolve) => setTimeout(resolve, 10).unref());
}

async function admit(
  request: IncomingMessage,
  { options, connections }: { options: RpcSocketsOptions; connections: Map<RpcConnection, AdmittedRequest> },
): Promise<(socket: WebSocket, stream: Duplex) => void> {
  const { contexts, bodies, onFailure, rate = RATE } = options;
  const admitted = await options.admit(request);
  const { tenant, name, isValid } = admitted;
  if (options.isStopping()) throw createStoppingError();
  if (URL.parse(request.url ?? "", "http://localhost")?.pathname !== RPC_ROUTES.callRpc.path) {
    throw new RefusedRequest("not-found", `Open WebSockets at ${RPC_ROUTES.callRpc.path}.`);
  }
  const context = await contexts.find(tenant);
  if ([...connections.values()].filter((each) => each.tenant === tenant).length >= MAX_CONNECTIONS) {
    throw new RefusedRequest("too-many-requests", `There are already ${MAX_CONNECTIONS} connections. Close some.`, {
      headers: { "retry-after": "5" },
    });
  }
  const limit = createRateLimit(rate);
  const admitOne = () => {
    if (options.isStopping()) throw createStoppingError();
    if (!isValid()) throw new RefusedRequest("token-refused", "The token is no longer valid.");
    limit("");
  };
  return (socket, stream) => {
    const share = bodies.open(name);
    const connection = new RpcConnection({ socket, stream, share, context, admit: admitOne, onFailure });
    const onClose = options.onOpen();
    connections.set(connection, admitted);
    socket.on("close", () => {
      connections.delete(connection);
      share[Symbol.dispose]();
      onClose();
    });
  };
}

function createStoppingError(): RefusedRequest {
  return new RefusedRequest("stopping", "The server is shutting down. Try again in a moment.", {
    headers: { "retry-after": "1" },
  });
}
