/** Answers the protocol over HTTP: checks, reads, validates and logs each request, and passes it to its handler. */
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import type { z } from "zod";
import type { Route } from "../../protocol/route.ts";
import { ROUTES, type RouteName } from "../../protocol/routes.ts";
import type { Access } from "../access/access.ts";
import { type Caller, checkRole, checkSession } from "../access/permissions.ts";
import { LOCAL_TENANT } from "../access/tokens.ts";
import { answerError, RefusedRequest } from "../http/answer-error.ts";
import { BodyBudget, type BodyShare } from "../http/body-budget.ts";
import { GATEWAY_PREFIX, refuseAnnounced } from "../http/body-limit.ts";
import { checkMessages } from "../http/check-messages.ts";
import { BODY_LIMITS, type BodyLimits, hasNoBody, readJsonBody } from "../http/read-body.ts";
import { assertAcceptable, refuseUnknown } from "../http/refuse-request.ts";
import { type RequestHead, readRequestHead } from "../http/request-head.ts";
import { auditCall, type RequestLog } from "../http/request-log.ts";
import { addSecurityHeaders } from "../http/security-headers.ts";
import { watchFailure } from "../http/stream-text.ts";
import type { Tenant } from "../tenants/tenants.ts";
import type { Handlers, RouteCall } from "./handler.ts";

export interface AppOptions {
  readonly handlers: Partial<Handlers>;
  readonly access: Access;
  readonly findTenant: (tenantId: string) => Promise<Tenant>;
  readonly log: RequestLog;
  readonly limits?: BodyLimits | undefined;
  /** Shared with other readers of bodies, such as WebSockets. Default: one by `limits`. */
  readonly bodies?: BodyBudget | undefined;
  /** True during shutdown: running requests finish, new ones are refused. */
  readonly isStopping?: (() => boolean) | undefined;
  /** Adds routes outside the protocol, such as the page. Their requests pass the same checks. */
  readonly mount?: ((app: MountedApp) => void) | undefined;
  readonly trace?: TraceRequest | undefined;
}

/** The connection of a request; requests in process have none. */
export interface RequestOrigin {
  /** Address of the socket. */
  readonly address?: string | undefined;
  /** Closes the connection at once. */
  readonly disconnect?: (() => void) | undefined;
}

export interface RequestState {
  readonly requestId: string;
  readonly address: string | undefined;
  readonly disconnect: (() => void) | undefined;
  /** Name of the route, for the log, because paths may contain anything. */
  route: string;
  tenantId: string | undefined;
  /** Host of the upstream to which the gateway forwarded the request. */
  upstream?: string | undefined;
}

export type MountedApp = Hono<{ Bindings: RequestState }>;
export type TraceRequest = <Result>(
  request: { readonly route: string; readonly method: string },
  work: () => Promise<Result>,
) => Promise<Result>;

export interface App {
  /** Never rejects. */
  fetch(request: Request, from?: RequestOrigin): Promise<Response>;
  /** Returns true if the head announces a body that `fetch` refuses. */
  isTooLarge(head: RequestHead): boolean;
}

type AppContext = Context<{ Bindings: RequestState }>;

export function createApp(options: AppOptions): App {
  const app: MountedApp = new Hono();
  app.use(({ req, env }, next) => {
    options.access.guard(readRequestHead(req.raw, env.address));
    return next();
  });
  app.use(createCrossOriginRule(options.access));
  const { limits = BODY_LIMITS } = options;
  const { bytes } = limits;
  const bodies = options.bodies ?? new BodyBudget(limits);
  app.use(({ req, env }, next) => {
    refuseUnreadable(req.raw, options);
    const refused = refuseAnnounced(readRequestHead(req.raw, env.address), bytes);
    if (refused !== undefined) throw refused;
    return next();
  });
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    if (options.handlers[name as RouteName] === undefined) continue;
    app.on(route.method, route.path, (context) => {
      context.env.route = name;
      return answer(context, route, { ...options, limits, bodies });
    });
  }
  options.mount?.(app);
  app.all("*", ({ req }) => {
    throw refuseUnknown(req.method, req.path);
  });
  app.onError((error, { env }) => writeError(error, env, options.log));
  return {
    fetch: (request, from) => answerRequest(request, { app, options, from }),
    isTooLarge: (head) => refuseAnnounced(head, bytes) !== undefined,
  };
}

/** Lets pages of allowed origins read responses, and answers their preflight requests. Allows no cookies. */
function createCrossOriginRule(access: Access) {
  const allow = cors({
    origin: (origin) => origin,
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: ["authorization", "content-type", "last-event-id"],
    exposeHeaders: ["retry-after", "x-request-id"],
    maxAge: 600,
  });
  return (context: AppContext, next: () => Promise<void>) => {
    const origin = access.findOrigin(readRequestHead(context.req.raw, context.env.address));
    return origin === undefined ? next() : allow(context, next);
  };
}

interface RequestOptions {
  readonly app: MountedApp;
  readonly options: AppOptions;
  readonly from: RequestOrigin | undefined;
}

async function answerRequest(request: Request, { app, options, from }: RequestOptions): Promise<Response> {
  const { log } = options;
  const requestId = randomUUID();
  const { address, disconnect } = from ?? {};
  const state: RequestState = { requestId, address, disconnect, route: "unknown", tenantId: undefined };
  const startedAt = performance.now();
  let response: Response;
  try {
    response = await app.fetch(request, state);
  } catch (error) {
    // Hono does not catch thrown values that are not an `Error`.
    response = writeError(error, state, log);
  }
  if (disconnect !== undefined) {
    watchFailure(response, (error) => {
      disconnect();
      if (!(error instanceof RefusedRequest) && !request.signal.aborted) log.failed(requestId, error);
    });
  }
  const { route, tenantId, upstream } = state;
  const durationMs = Math.round(performance.now() - startedAt);
  log.answered({ requestId, method: request.method, route, status: response.status, durationMs, tenantId, upstream });
  const isShared = response.headers.has("access-control-allow-origin");
  addSecurityHeaders(response, requestId);
  if (isShared) response.headers.set("cross-origin-resource-policy", "cross-origin");
  return response;
}

function writeError(error: unknown, { requestId }: RequestState, log: RequestLog): Response {
  const { status, headers, body, isUnexpected } = answerError(error, requestId);
  if (isUnexpected) log.failed(requestId, error);
  return Response.json(body, { status, headers });
}

function refuseUnreadable(request: Request, { isStopping }: AppOptions): void {
  const encoding = request.headers.get("content-encoding");
  const isForwarded = new URL(request.url).pathname.startsWith(GATEWAY_PREFIX);
  if (encoding !== null && encoding !== "identity" && !isForwarded) {
    throw new RefusedRequest("media-type-unsupported", "Send the body without content-encoding.", {
      headers: { connection: "close" },
    });
  }
  if (isStopping?.() === true) {
    throw new RefusedRequest("stopping", "The server is shutting down. Try again in a moment.", {
      headers: { "retry-after": "1", connection: "close" },
    });
  }
}

type AnswerOptions = AppOptions & { readonly limits: BodyLimits; readonly bodies: BodyBudget };

async function answer(context: AppContext, route: Route, options: AnswerOptions): Promise<Response> {
  const { log, limits, bodies, trace = (_, work) => work() } = options;
  const caller = route.isOpen === true ? undefined : identify(context, options);
  if (caller !== undefined) checkRole(caller, route);
  const tenant = caller && (await options.findTenant(caller.tenantId));
  if (route.isForOwner === true && tenant !== undefined) requireOwner(tenant);
  const request = context.req.raw;
  const { requestId, route: name } = context.env;
  const handler = options.handlers[name as RouteName] as (call: RouteCall<RouteName>) => Promise<Response | object>;
  const named = context.req.param("id") ?? context.req.query("sessionId");
  if (caller !== undefined && (named !== undefined || route.body === undefined)) checkSession(caller, route, named);
  using share = bodies.open(caller?.name ?? "");
  const read = await readRouteCall(context, route, { limits, share });
  if (caller !== undefined && named === undefined) checkSession(caller, route, Object(read.body).id);
  const call = { ...read, caller, tenant, engine: tenant?.engine, request, share, signal: request.signal };
  const work = () =>
    trace({ route: name, method: route.method }, () => handler(call as unknown as RouteCall<RouteName>));
  const line = {
    requestId,
    route: name,
    tenantId: tenant?.id ?? "",
    params: { ...Object(read.params), ...Object(read.query) },
  };
  const result = route.isAudited === true && tenant !== undefined ? await auditCall(line, log, work) : await work();
  return result instanceof Response ? result : Response.json(result);
}

function identify({ req, env }: AppContext, { access }: AppOptions): Caller {
  const caller = access.identify(readRequestHead(req.raw, env.address));
  env.tenantId = caller.tenantId;
  return caller;
}

interface ReadCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Throws for other tenants than the owner's: figures of the whole process reveal the activity of all tenants. */
function requireOwner({ id }: Tenant): void {
  if (id === LOCAL_TENANT) return;
  const advice = `Use a token of the tenant ${LOCAL_TENANT}: palimpsest token add --tenant ${LOCAL_TENANT}.`;
  throw new RefusedRequest("tenant-refused", `This address is for the owner of the server. ${advice}`);
}

interface ReadOptions {
  readonly limits: BodyLimits;
  readonly share: BodyShare;
}

async function readRouteCall(context: AppContext, route: Route, { limits, share }: ReadOptions): Promise<ReadCall> {
  assertAcceptable(route, context.req.header("accept"));
  const params = route.params === undefined ? undefined : check(route.params, context.req.param(), "path");
  const query = route.query === undefined ? undefined : check(route.query, context.req.query(), "query");
  if (route.body === undefined) return { params, query, body: undefined };
  const isEmpty = mayBeLeftOut(route.body) && (await hasNoBody(context.req.raw, limits));
  const sent = isEmpty ? {} : await readJsonBody(context.req.raw, limits, share);
  const isLong = !(Number(context.req.header("content-length")) <= LONG_BODY_BYTES);
  if (isLong) await nextTurn();
  checkMessages(sent);
  if (isLong) await nextTurn();
  return { params, query, body: check(route.body, sent, "body") };
}

const optionalBodies = new WeakMap<z.ZodType, boolean>();

/** Whether all fields of a body are optional. Checked once for each route, because a failing check is slow. */
function mayBeLeftOut(body: z.ZodType): boolean {
  const known = optionalBodies.get(body) ?? body.safeParse({}).success;
  optionalBodies.set(body, known);
  return known;
}

/** Above this size each check of a body takes milliseconds, so other requests run between them. */
const LONG_BODY_BYTES = 256_000;

const UNKNOWN_KEY = "has an unknown key. /openapi.json lists the known ones";
const NO_KNOWN_TYPE = "has none of the accepted types. /openapi.json lists them";

/** Names the path of what is invalid. The response does not repeat the input. */
function check<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const issues = outcome.error.issues.slice(0, 10).map(({ code, path, message }) => ({
    path: [place, ...path].join("."),
    message: describeIssue(code, message),
  }));
  const [first] = issues;
  throw new RefusedRequest("request-invalid", `${first?.path ?? place}: ${first?.message ?? "invalid"}`, {
    details: { issues },
  });
}

/** Replaces texts of the schema library that do not say what to do. */
function describeIssue(code: string, message: string): string {
  if (code === "unrecognized_keys") return UNKNOWN_KEY;
  return message === "Invalid input" ? NO_KNOWN_TYPE : message;
}
