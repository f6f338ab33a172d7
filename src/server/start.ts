/**
 * Puts the server together and starts it: one store for all tenants, an engine for each of them, the models that were
 * found, the app, the socket. Nothing is decided here that a file beside this one knows.
 */
import { basename, resolve } from "node:path";
import type { ToolSet } from "ai";
import {
  describeFailure,
  ENGINE_RULES,
  findStorePath,
  loadDocumentRpc,
  loadOfflineChat,
  loadSample,
  loadTelemetry,
  type OpenOptions,
  openPalimpsest,
  openPolicies,
  openSharedParts,
} from "../compose.ts";
import {
  AMOUNT,
  ANYTHING,
  checkOptions,
  FLAG,
  invalidOption,
  MILLISECONDS,
  type OptionRule,
  optionsOf,
  RECORD,
  required,
  TEXT,
} from "../core/check-options.ts";
import type { Store } from "../ports/store.ts";
import type { Access } from "./access/access.ts";
import { openAccess } from "./access/open-access.ts";
import type { RateRule } from "./access/rate-limit.ts";
import { LOCAL_TENANT, type TokenRow } from "./access/tokens.ts";
import { type App, type AppOptions, createApp } from "./app/create-app.ts";
import { type Listening, listen, SOCKET_LIMITS, type SocketLimits } from "./app/listen.ts";
import { createChatHandlers } from "./chat/chat-handlers.ts";
import { CHAT_LIMITS, type ChatLimits } from "./chat/chat-limits.ts";
import { Chats } from "./chat/chats.ts";
import { answerError } from "./http/answer-error.ts";
import { BODY_LIMITS } from "./http/read-body.ts";
import { createRequestLog, type RequestLog } from "./http/request-log.ts";
import { exchangeImages } from "./images/exchange-images.ts";
import { imagesBeside } from "./images/image-files.ts";
import { ImageShelf } from "./images/image-shelf.ts";
import { Metrics } from "./operations/metrics.ts";
import { observeEngine } from "./operations/observe-engine.ts";
import { createShutdown } from "./operations/shutdown.ts";
import { StoreRoom } from "./operations/store-room.ts";
import { mountPage } from "./page/static-page.ts";
import type { ChatModel } from "./prompts/chat-model.ts";
import { LastPrompts } from "./prompts/last-prompts.ts";
import { createFindDefaults } from "./prompts/prompt-defaults.ts";
import { createFindTurnRequest } from "./prompts/turn-request.ts";
import { readVersion } from "./read-version.ts";
import { createRestHandlers } from "./rest/rest-handlers.ts";
import type { ServerParts } from "./rest/server-parts.ts";
import type { ServerExtension } from "./server-extension.ts";
import { Tenants } from "./tenants/tenants.ts";

export interface ServerOptions {
  /** As `openPalimpsest` takes it: `"sqlite:./chats.db"`, `"postgres://…"`, `"windowed-sql:./chats.db"`, …, or a store. */
  readonly store: string | Store;
  readonly host?: string | undefined;
  /** Any that is free for 0. */
  readonly port?: number | undefined;
  /** Without one it is asked by its `fetch` alone, and nobody else can reach it. */
  readonly hasSocket?: boolean | undefined;
  /** Names that the server may be called by besides those of this machine, without port. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins of pages besides its own that may use it. */
  readonly origins?: readonly string[] | undefined;
  /** Who may ask, by rows or by a file that is followed. With either of them nobody is let in without a token. */
  readonly tokens?: readonly TokenRow[] | undefined;
  readonly tokensFile?: string | undefined;
  /** Whether PostgreSQL itself keeps tenants apart too; without it where there are tokens. */
  readonly rowSecurity?: boolean | undefined;
  /** How often each caller may ask; much on loopback and less with tokens without it. */
  readonly rate?: RateRule | undefined;
  readonly limits?: { readonly body?: AppOptions["limits"]; readonly socket?: SocketLimits | undefined } | undefined;
  /** The first is the default; the offline one alone without them. */
  readonly models?: readonly ChatModel[] | undefined;
  readonly tools?: ToolSet | undefined;
  /** What a chat may take, where it is not as usual. */
  readonly chat?: Partial<ChatLimits> | undefined;
  /** The folder that the page was built into; without one, or where it is empty, a plain page stands in for it. */
  readonly page?: string | undefined;
  /** How every tenant's engine is opened: policy, budget, summarizer, workspace. */
  readonly engine?: Omit<OpenOptions, "tenant" | "store" | "notifications"> | undefined;
  /** What it calls itself; the package's own without it. */
  readonly version?: string | undefined;
  /** Lines on stderr of what went wrong and what was taken away, without one. */
  readonly log?: RequestLog | undefined;
  /** How often a quiet stream of events says that it is there, and a quiet WebSocket is asked whether it is. */
  readonly heartbeatMs?: number | undefined;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Asks it in this process, with no socket in between. */
  fetch(request: Request): Promise<Response>;
  /** Refuses what is new, lets what is under way finish for so long, and closes the store. */
  close(options?: { readonly withinMs?: number | undefined }): Promise<void>;
}

/** The model that is there when no other is: it says that it is none and quotes what was said. */
export async function createOfflineChat(): Promise<ChatModel> {
  // It is one of the AI SDK, whose types compose.ts keeps away from whoever does not use them.
  return (await loadOfflineChat()) as ChatModel;
}

const DRAIN_MS = 10_000;
/** Shorter than what stands between two ends of a connection waits for. */
const HEARTBEAT_MS = 15_000;

type SettledOptions = Omit<ServerOptions, keyof Settled> & Settled;

interface Settled {
  readonly models: readonly ChatModel[];
  readonly version: string;
  readonly log: RequestLog;
}

const TEXTS: OptionRule = {
  allowed: "a list of texts",
  holds: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
};
const PORT: OptionRule = {
  allowed: "a whole number from 0 to 65535",
  holds: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
};
const MODELS: OptionRule = {
  allowed: "a list of chat models, as createOfflineChat gives one",
  holds: (value) => Array.isArray(value) && value.every(isChatModel),
};
/** An option that may set any of these limits. */
function amounts(limits: object): OptionRule {
  return optionsOf(Object.fromEntries(Object.keys(limits).map((key) => [key, AMOUNT])));
}

const SERVER_RULES = {
  store: ANYTHING,
  host: TEXT,
  port: PORT,
  hasSocket: FLAG,
  hosts: TEXTS,
  origins: TEXTS,
  tokens: ANYTHING,
  tokensFile: TEXT,
  rowSecurity: FLAG,
  rate: optionsOf({ perSecond: required(AMOUNT), burst: required(AMOUNT) }),
  limits: optionsOf({ body: amounts(BODY_LIMITS), socket: amounts(SOCKET_LIMITS) }),
  models: MODELS,
  tools: RECORD,
  chat: amounts(CHAT_LIMITS),
  page: TEXT,
  engine: optionsOf(ENGINE_RULES),
  version: TEXT,
  log: ANYTHING,
  heartbeatMs: MILLISECONDS,
} satisfies Record<keyof ServerOptions, OptionRule>;

function isChatModel(value: unknown): boolean {
  return typeof value === "object" && value !== null && "forSession" in value && typeof value.forSession === "function";
}

async function settleOptions(options: ServerOptions): Promise<SettledOptions> {
  checkOptions(options, SERVER_RULES, "startServer");
  if (options.store === undefined) {
    throw invalidOption("startServer: store", options.store, `an address, such as "sqlite:./chats.db" or "memory:"`);
  }
  return {
    ...options,
    models: options.models ?? [await createOfflineChat()],
    version: options.version ?? (await readVersion()),
    log: options.log ?? createRequestLog({ level: "warn" }),
  };
}

export async function startServer(given: ServerOptions): Promise<RunningServer> {
  const options = await settleOptions(given);
  const { host = "127.0.0.1", port = 0, log, limits = {} } = options;
  const isOpen = options.tokens === undefined && options.tokensFile === undefined;
  const access = openAccess(options, host);
  const engines = await openEngines(options, { isOpen });
  const { tenants, chats, parts } = engines;
  const openRpc = await loadDocumentRpc();
  const rpc = openRpc({
    ...{ log, access, chats, tenants },
    heartbeatMs: options.heartbeatMs,
    repositoryName: nameOf(options.engine?.workspace),
    metrics: parts.metrics,
    findTurnRequest: parts.findTurnRequest,
    stopping: parts.stopping,
  });
  const app = openApp(options, { access, engines, rpc, isOpen });
  const end = async (withinMs: number): Promise<void> => {
    await rpc.close();
    await engines.close(withinMs);
  };
  try {
    // Whoever connects first finds the newest session restored. With tokens that waits for whom it belongs to.
    if (isOpen) await rpc.prepare(await tenants.find(LOCAL_TENANT));
    const open = options.hasSocket === false ? openNothing : listen;
    const listening = await open({ app, host, port, limits: limits.socket });
    listening.server?.on("upgrade", rpc.upgrade);
    const shutDown = createShutdown({
      stop: engines.stop,
      hurry: () => chats.hurry(),
      drain: async (withinMs) => {
        const drained = await Promise.all([listening.drain(withinMs), chats.drain(withinMs)]);
        return drained.every(Boolean);
      },
      disconnect: async () => {
        await rpc.settle();
        await rpc.disconnect();
        await listening.close();
      },
      close: [end, async () => log.flush?.()],
    });
    return {
      url: `http://${host.includes(":") ? `[${host}]` : host}:${listening.port}`,
      port: listening.port,
      fetch: (request) => app.fetch(request),
      close: ({ withinMs = DRAIN_MS } = {}) => shutDown(withinMs),
    };
  } catch (error) {
    await end(DRAIN_MS);
    throw error;
  }
}

/** What answers requests, whoever asks: the engines of all tenants on one store, their chats, what handlers share. */
async function openEngines(options: SettledOptions, { isOpen }: { readonly isOpen: boolean }) {
  const { store, engine = {}, models, tools, version, log } = options;
  const shared = await openSharedParts({
    ...engine,
    store,
    // More than one tenant can come only by tokens.
    rowSecurity: options.rowSecurity ?? !isOpen,
    onWarning: (text) => (log.warn ?? log.note)?.(text),
  });
  const metrics = new Metrics();
  const telemetry = loadTelemetry({ isFailure: (error) => answerError(error, "").status >= 500 });
  const tenants = new Tenants(async (tenantId) => {
    const opened = await openPalimpsest({ ...engine, ...shared.parts, tenant: tenantId });
    await (await telemetry)?.instrument(opened);
    return observeEngine(opened, { tenantId, metrics, log });
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
    ...{ version, tenants, models, tools, metrics, loadSample, prompts, findDefaults, findTurnRequest },
    stopping: stopping.signal,
    images: new ImageShelf({
      folder: imagesBeside(typeof store === "string" ? findStorePath(store) : undefined),
      connect: (findOwn) => exchangeImages(shared.relay, findOwn),
    }),
    room: new StoreRoom(),
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
  readonly rpc: ServerExtension;
  readonly isOpen: boolean;
}

function openApp(options: SettledOptions, { access, engines, rpc, isOpen }: AppParts): App {
  const { limits, log, page: folder, version } = options;
  const { parts, chats, tenants, telemetry } = engines;
  return createApp({
    handlers: { ...createRestHandlers(parts), ...createChatHandlers(chats, parts), ...rpc.handlers },
    access,
    // What was the newest session before a tenant's first request is the one that JSON-RPC goes on in.
    findTenant: async (id) => {
      const tenant = await tenants.find(id);
      await rpc.prepare(tenant);
      return tenant;
    },
    isStopping: () => parts.stopping.aborted,
    limits: limits?.body,
    log: countAnswers(log, parts),
    trace: async (request, work) => ((await telemetry)?.trace ?? untraced)(request, work),
    mount: (mounted) => mountPage(mounted, { folder, version, needsToken: !isOpen }),
  });
}

function untraced<Result>(_: unknown, work: () => Promise<Result>): Promise<Result> {
  return work();
}

async function openNothing(): Promise<Omit<Listening, "server"> & { readonly server?: undefined }> {
  return { port: 0, underWay: () => 0, drain: async () => true, close: async () => undefined };
}

function countAnswers(log: RequestLog, { metrics, room }: Pick<ServerParts, "metrics" | "room">): RequestLog {
  return {
    ...log,
    answered(line) {
      metrics.answered(line);
      room.answered(line);
      log.answered(line);
    },
  };
}

/** A page shows which repository it is about. */
function nameOf(workspace: OpenOptions["workspace"]): string {
  return typeof workspace === "object" && "root" in workspace ? basename(resolve(workspace.root)) : "";
}
