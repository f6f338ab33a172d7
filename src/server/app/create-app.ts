/**
 * The protocol answered over HTTP: every request is guarded before it is routed, read with limits, checked by its
 * route's schema, handed to its handler and answered. The routes are the protocol's table; this file knows none of them
 * by name.
 */
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Context, Hono } from "hono";
import type { z } from "zod";
import type { Route } from "../../protocol/route.ts";
import { ROUTES, type RouteName } from "../../protocol/routes.ts";
import type { Access } from "../access/access.ts";
import { allowOrigin, answerPreflight } from "../access/cross-origin.ts";
import { LOCAL_TENANT } from "../access/tokens.ts";
import { answerError, RefusedRequest } from "../http/answer-error.ts";
import { assertAcceptable } from "../http/assert-acceptable.ts";
import { auditCall } from "../http/audit-call.ts";
import { checkMessages } from "../http/check-messages.ts";
import { BODY_LIMITS, type BodyLimits, hasNoBody, readJson } from "../http/read-body.ts";
import { refuseUnknown } from "../http/refuse-unknown.ts";
import { headOfRequest } from "../http/request-head.ts";
import type { RequestLog } from "../http/request-log.ts";
import { secure } from "../http/security-headers.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { Call, Handlers } from "./handler.ts";

export interface AppOptions {
  readonly handlers: Partial<Handlers>;
  readonly access: Access;
  readonly findTenant: (tenantId: string) => Promise<Tenant>;
  readonly log: RequestLog;
  readonly limits?: BodyLimits | undefined;
  /** True while the server ends: what is under way is finished, nothing new begins. */
  readonly isStopping?: (() => boolean) | undefined;
  /** What is no row of the table: pages, RPC. It is guarded like the rest, and asks `identify` where it matters who asks. */
  readonly mount?: ((app: MountedApp, identify: Identify) => void) | undefined;
  /** Runs each handler inside of a span, where somebody traces. */
  readonly trace?: Trace | undefined;
}

/** What stands around one request, from its first byte to its answer. */
export interface Passage {
  readonly requestId: string;
  readonly address: string | undefined;
  /** The name of the row, for the log: paths may hold anything. */
  route: string;
  tenantId: string | undefined;
}

export type MountedApp = Hono<{ Bindings: Passage }>;
export type Identify = (context: Context<{ Bindings: Passage }>) => Promise<Tenant>;
export type Trace = <Result>(
  request: { readonly route: string; readonly method: string },
  work: () => Promise<Result>,
) => Promise<Result>;

export interface App {
  /** The address is that of the socket; in process there is none. */
  fetch(request: Request, from?: { readonly address?: string | undefined }): Promise<Response>;
}

type AnyHandler = (call: Call<RouteName>) => Promise<Response | object>;
type AppContext = Context<{ Bindings: Passage }>;

export function createApp(options: AppOptions): App {
  const app: MountedApp = new Hono();
  const identify = createIdentify(options);
  for (const [name, row] of Object.entries<Route>(ROUTES)) {
    const handler = options.handlers[name as RouteName];
    if (handler === undefined) continue;
    app.on(row.method, row.path, (context) => {
      context.env.route = name;
      return answer(context, { row, handler: handler as AnyHandler, identify, options });
    });
  }
  options.mount?.(app, identify);
  app.all("*", ({ req }) => {
    throw refuseUnknown(req.method, req.path);
  });
  app.onError((error) => {
    throw error;
  });
  return { fetch: (request, from) => pass(request, { app, options, address: from?.address }) };
}

interface Passing {
  readonly app: MountedApp;
  readonly options: AppOptions;
  readonly address: string | undefined;
}

/** Never rejects: whatever happens is an answer. */
async function pass(request: Request, { app, options, address }: Passing): Promise<Response> {
  const { log } = options;
  const passage: Passage = { requestId: randomUUID(), address, route: "unknown", tenantId: undefined };
  const { requestId } = passage;
  const startedAt = performance.now();
  const origin = options.access.findOrigin(headOfRequest(request, address));
  let response: Response;
  try {
    guard(request, passage, options);
    response = answerPreflight(request, origin) ?? (await app.fetch(request, passage));
  } catch (error) {
    const answered = answerError(error, requestId);
    if (answered.isUnexpected) log.failed(requestId, error);
    response = Response.json(answered.body, { status: answered.status, headers: answered.headers });
  }
  const { route, tenantId } = passage;
  const durationMs = Math.round(performance.now() - startedAt);
  log.answered({ requestId, method: request.method, route, status: response.status, durationMs, tenantId });
  return allowOrigin(secure(response, requestId), origin);
}

function guard(request: Request, { address }: Passage, { access, isStopping }: AppOptions): void {
  access.guard(headOfRequest(request, address));
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new RefusedRequest("media-type-unsupported", "Send the body as it is, without content-encoding.", {
      headers: { connection: "close" },
    });
  }
  if (isStopping?.() === true) {
    throw new RefusedRequest("stopping", "The server is ending; ask again in a moment.", {
      headers: { "retry-after": "1", connection: "close" },
    });
  }
}

function createIdentify({ access, findTenant }: AppOptions): Identify {
  return async ({ req, env }) => {
    const tenantId = access.identify(headOfRequest(req.raw, env.address));
    env.tenantId = tenantId;
    return findTenant(tenantId);
  };
}

interface Answering {
  readonly row: Route;
  readonly handler: AnyHandler;
  readonly identify: Identify;
  readonly options: AppOptions;
}

async function answer(context: AppContext, { row, handler, identify, options }: Answering): Promise<Response> {
  const { log, limits = BODY_LIMITS, trace = (_, work) => work() } = options;
  const tenant = row.isOpen === true ? undefined : await identify(context);
  if (row.isForOwner === true && tenant !== undefined) requireOwner(tenant);
  const request = context.req.raw;
  const { requestId, route } = context.env;
  const read = await readCall(context, row, limits);
  const call = { ...read, tenant, engine: tenant?.engine, request, signal: request.signal };
  const work = () => trace({ route, method: row.method }, () => handler(call as unknown as Call<RouteName>));
  const line = { requestId, route, tenantId: tenant?.id ?? "", params: { ...read.params, ...read.query } };
  const given = row.isAudited === true && tenant !== undefined ? await auditCall(line, log, work) : await work();
  return given instanceof Response ? given : Response.json(given);
}

/** Figures of the whole process tell each tenant of all the others. */
function requireOwner({ id }: Tenant): void {
  if (id === LOCAL_TENANT) return;
  const advice = `Ask with a token of the tenant ${LOCAL_TENANT}: palimpsest token add --tenant ${LOCAL_TENANT}.`;
  throw new RefusedRequest("tenant-refused", `This is about all tenants, and for whoever runs the server. ${advice}`);
}

async function readCall(context: AppContext, row: Route, limits: BodyLimits) {
  assertAcceptable(row, context.req.header("accept"));
  const params = row.params === undefined ? undefined : check(row.params, context.req.param(), "path");
  const query = row.query === undefined ? undefined : check(row.query, context.req.query(), "query");
  if (row.body === undefined) return { params, query, body: undefined };
  // Where everything may be left out, all of it may be.
  const isEmpty = row.body.safeParse({}).success && (await hasNoBody(context.req.raw, limits));
  const sent = isEmpty ? {} : await readJson(context.req.raw, limits);
  const isLong = !(Number(context.req.header("content-length")) <= LONG_BODY_BYTES);
  if (isLong) await nextTurn();
  checkMessages(sent);
  if (isLong) await nextTurn();
  return { params, query, body: check(row.body, sent, "body") };
}

/** From here on each look at a body takes milliseconds, and others have a turn in between. */
const LONG_BODY_BYTES = 256_000;

const UNKNOWN_KEY = "has a key that is not known; /openapi.json lists those that are";

/** What is wrong is named by its path; what was sent is not repeated. */
function check<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const issues = outcome.error.issues.slice(0, 10).map(({ code, path, message }) => ({
    path: [place, ...path].join("."),
    message: code === "unrecognized_keys" ? UNKNOWN_KEY : message,
  }));
  const [first] = issues;
  throw new RefusedRequest("request-invalid", `${first?.path ?? place}: ${first?.message ?? "not as expected"}`, {
    details: { issues },
  });
}
