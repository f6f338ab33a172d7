/** Starts the server: one store for all tenants, an engine for each, the chats, the app and the socket. */
import { availableParallelism } from "node:os";
import { basename, resolve } from "node:path";
import { loadCompat } from "../compose/load-compat.ts";
import {
  describeFailure,
  findStorePath,
  loadSample,
  loadTelemetry,
  type OpenOptions,
  openPalimpsest,
  openPolicies,
  openSharedParts,
} from "../compose.ts";
import { type Access, openAccess } from "./access/access.ts";
import { createProxies } from "./access/client-address.ts";
import { refuseUpgrade } from "./access/guard-upgrade.ts";
import { LOCAL_TENANT } from "./access/tokens.ts";
import { type App, createApp } from "./app/create-app.ts";
import { listen, type SocketListener } from "./app/listen.ts";
import { mountMcp } from "./app/mount-mcp.ts";
import { createChatHandlers } from "./chat/chat-handlers.ts";
import { CHAT_LIMITS } from "./chat/chat-limits.ts";
import { Chats } from "./chat/chats.ts";
import type { GatewayParts } from "./gateway/gateway-call.ts";
import { readUpstreams } from "./gateway/gateway-options.ts";
import { mountGateway } from "./gateway/mount-gateway.ts";
import { answerError, RefusedRequest } from "./http/answer-error.ts";
import { BodyBudget } from "./http/body-budget.ts";
import { GATEWAY_PREFIX } from "./http/body-limit.ts";
import { BODY_LIMITS } from "./http/read-body.ts";
import type { RequestLog } from "./http/request-log.ts";
import { PendingUploads } from "./images/pending-uploads.ts";
import { shareUploads } from "./images/share-uploads.ts";
import { findUploadFolder } from "./images/upload-files.ts";
import { Metrics } from "./operations/metrics.ts";
import { observeEngine } from "./operations/observe-engine.ts";
import { createShutdown } from "./operations/shutdown.ts";
import { StoreCapacity } from "./operations/store-capacity.ts";
import { mountPage } from "./page/static-page.ts";
import { LastPrompts } from "./prompts/last-prompts.ts";
import { OfferedTools } from "./prompts/offered-tools.ts";
import { createFindDefaults } from "./prompts/prompt-defaults.ts";
import { createFindTurnRequest } from "./prompts/turn-request.ts";
import { createRestHandlers } from "./rest/rest-handlers.ts";
import type { ServerParts } from "./rest/server-parts.ts";
import type { ServerExtension } from "./server-extension.ts";
import { type ResolvedOptions, resolveOptions, type ServerOptions } from "./server-options.ts";
import { Tenants } from "./tenants/tenants.ts";

/** A running server: its address, its `fetch`, and how to close it. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  fetch(request: Request): Promise<Response>;
  /** Refuses new requests, lets running ones finish within the time, and closes the store. */
  close(options?: { readonly withinMs?: number | undefined }): Promise<void>;
}

const DRAIN_MS = 10_000;
/** Codex then sends its requests over HTTP. */
const NO_UPGRADE = "This address answers over HTTP only, not over WebSockets.";
/** Shorter than the idle timeouts of common proxies. */
const HEARTBEAT_MS = 15_000;
/** A request waits this long for the first fold of a long import; then its client tries again. */
const CATCH_UP_MS = 30_000;

/**
 * Starts a server, and returns its address and a function that stops it.
 *
 * @example
 * ```ts
 * const server = await startServer({ store: "sqlite:./chats.db", port: 7420 });
 * await server.close();
 * ```
 */
export async function startServer(given: ServerOptions): Promise<RunningServer> {
  const options = await resolveOptions(given);
  const { host = "127.0.0.1", port = 0, log, limits = {} } = options;
  const isOpen = options.tokens === undefined && options.tokensFile === undefined;
  const proxies = createProxies(options.proxies ?? []);
  const access = openAccess({ ...options, proxies }, host);
  const compat = await loadCompat();
  const engines = await openEngines(options, isOpen, compat.recordedPolicies);
  const { tenants, chats, parts } = engines;
  const extension = compat.open({
    ...{ ...parts, log, access, chats },
    heartbeatMs: options.heartbeatMs,
    repositoryName: nameWorkspace(options.engine?.workspace),
  });
  const app = openApp(options, { access, engines, extension, isOpen });
  const end = async (withinMs: number): Promise<void> => {
    await extension.close();
    await engines.close(withinMs);
  };
  try {
    // Restores the session used last before the first connection. With tokens, only a request names the tenant.
    if (isOpen) await extension.prepare(await tenants.find(LOCAL_TENANT));
    const open = options.hasSocket === false ? startWithoutSocket : listen;
    const listener = await open({ app, host, port, limits: limits.socket, proxies });
    listener.server?.on("upgrade", (request, socket, head) => {
      if (request.url?.startsWith(GATEWAY_PREFIX) === true)
        refuseUpgrade(socket, new RefusedRequest("upgrade-refused", NO_UPGRADE));
      else extension.upgrade(request, socket, head);
    });
    const shutDown = createShutdown({
      stop: engines.stop,
      stopStreams: () => chats.stopAll(),
      drain: async (withinMs) => {
        const drained = await Promise.all([listener.drain(withinMs), chats.drain(withinMs)]);
        return drained.every(Boolean);
      },
      disconnect: async () => {
        await extension.settle();
        await extension.disconnect();
        await listener.close();
      },
      close: [end, async () => log.flush?.()],
    });
    return {
      url: `http://${host.includes(":") ? `[${host}]` : host}:${listener.port}`,
      port: listener.port,
      fetch: (request) => app.fetch(request),
      close: ({ withinMs = DRAIN_MS } = {}) => shutDown(withinMs),
    };
  } catch (error) {
    await end(DRAIN_MS);
    throw error;
  }
}

/** Opens what all requests share: the engines of the tenants on one store, their chats, the parts of handlers. */
async function openEngines(options: ResolvedOptions, isOpen: boolean, recordedPolicies: ReadonlySet<string>) {
  const { store, engine = {}, models, version, log } = options;
  const tools = new OfferedTools(options.tools);
  const shared = await openSharedParts({
    ...engine,
    store,
    // Without tokens there is one tenant.
    rowSecurity: options.rowSecurity ?? !isOpen,
    onWarning: (text) => (log.warn ?? log.note)?.(text),
  });
  const metrics = new Metrics();
  const telemetry = loadTelemetry({ isFailure: (error) => answerError(error, "").status >= 500 });
  const tenants = new Tenants(async (tenantId) => {
    const opened = await openPalimpsest({
      summaryThread: availableParallelism() > 1,
      ...engine,
      ...shared.parts,
      tenant: tenantId,
      limits: { catchUpMs: CATCH_UP_MS, ...engine.limits },
    });
    await (await telemetry)?.instrument(opened);
    return observeEngine(opened, { tenantId, metrics, log, recordedPolicies });
  });
  const stopping = new AbortController();
  const prompts = new LastPrompts();
  const findDefaults = createFindDefaults(loadSample);
  const findTurnRequest = createFindTurnRequest({ models, tools, budgetTokens: engine.budgetTokens, findDefaults });
  const chats = new Chats({
    ...{ models, tools, relay: shared.relay, prompts, findTurnRequest },
    limits: { ...CHAT_LIMITS, ...options.chat },
    readFailure: describeFailure,
    onError: (error) => log.failed("chat", error),
  });
  const parts: ServerParts = {
    ...{ version, tenants, models, metrics, loadSample, prompts, findDefaults, findTurnRequest },
    stopping: stopping.signal,
    bodies: new BodyBudget(options.limits?.body ?? BODY_LIMITS),
    images: new PendingUploads({
      folder: findUploadFolder(typeof store === "string" ? findStorePath(store) : undefined),
      connect: (findOwn) => shareUploads(shared.relay, findOwn),
    }),
    capacity: new StoreCapacity(),
    policies: openPolicies(engine),
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
  };
  return {
    ...{ tenants, chats, parts, telemetry },
    stop: () => stopping.abort(),
    async close(withinMs: number): Promise<void> {
      await chats.close();
      await tenants.close({ withinMs: Math.min(withinMs, DRAIN_MS) });
      await shared.close();
      metrics.close();
    },
  };
}

interface AppParts {
  readonly access: Access;
  readonly engines: Awaited<ReturnType<typeof openEngines>>;
  readonly extension: ServerExtension;
  readonly isOpen: boolean;
}

function openApp(options: ResolvedOptions, { access, engines, extension, isOpen }: AppParts): App {
  const { limits, log, page: folder, version } = options;
  const { parts, chats, tenants, telemetry } = engines;
  const { bodies } = parts;
  // Extensions prepare a tenant before its first request, which may create a session.
  const findTenant = async (id: string) => {
    const tenant = await tenants.find(id);
    await extension.prepare(tenant);
    return tenant;
  };
  const app: App = createApp({
    handlers: { ...createRestHandlers(parts), ...createChatHandlers(chats, parts), ...extension.handlers },
    access,
    findTenant,
    isStopping: () => parts.stopping.aborted,
    limits: limits?.body,
    bodies,
    log: countAnswers(log, parts),
    trace: async (request, work) => (await telemetry)?.trace(request, work) ?? work(),
    mount: (mounted) => {
      const fetch: App["fetch"] = (request, from) => app.fetch(request, from);
      mountGateway(mounted, {
        gateway: readGateway(options),
        access,
        isOpen,
        findTenant,
        bodies,
      });
      mountMcp(mounted, { access, version, bodies, limits: limits?.body, fetch });
      mountPage(mounted, { folder, version, needsToken: !isOpen });
    },
  });
  return app;
}

function readGateway({ gateway, log, tokens, tokensFile }: ResolvedOptions): GatewayParts {
  return {
    upstreams: readUpstreams(gateway?.upstreams),
    windowTokens: gateway?.windowTokens,
    memories: new WeakMap(),
    clientCompaction: gateway?.clientCompaction ?? "own",
    needsKey: tokens !== undefined || tokensFile !== undefined,
    onError: (error: unknown) => log.failed("gateway", error),
  };
}

async function startWithoutSocket(): Promise<Omit<SocketListener, "server"> & { readonly server?: undefined }> {
  return { port: 0, openRequests: () => 0, drain: async () => true, close: async () => undefined };
}

function countAnswers(log: RequestLog, { metrics, capacity }: Pick<ServerParts, "metrics" | "capacity">): RequestLog {
  return {
    ...log,
    answered(line) {
      metrics.answered(line);
      capacity.answered(line);
      log.answered(line);
    },
  };
}

function nameWorkspace(workspace: OpenOptions["workspace"]): string {
  return typeof workspace === "object" && "root" in workspace ? basename(resolve(workspace.root)) : "";
}
