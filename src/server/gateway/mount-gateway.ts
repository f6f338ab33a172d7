/**
 * Answers the APIs of OpenAI and Anthropic under `/v1`. Without tokens, the client's credentials go to the upstream and
 * are stored nowhere. With tokens, clients send one of them as their key, and the upstream gets the operator's key.
 */
import type { Context } from "hono";
import type { Access } from "../access/access.ts";
import { type Caller, checkRole, checkSession, checkStillValid } from "../access/permissions.ts";
import { TOKEN_PREFIX } from "../access/tokens.ts";
import type { MountedApp, RequestState } from "../app/create-app.ts";
import { answerError, RefusedRequest } from "../http/answer-error.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import { MAX_GATEWAY_BYTES } from "../http/body-limit.ts";
import { BODY_LIMITS, readBodyBytes } from "../http/read-body.ts";
import { type RequestHead, readRequestHead } from "../http/request-head.ts";
import type { Tenant } from "../tenants/tenants.ts";
import { answerCount } from "./count-tokens.ts";
import { answerConversation, passOn } from "./gateway.ts";
import type { GatewayCall, GatewayParts } from "./gateway-call.ts";
import type { Vendor } from "./gateway-options.ts";
import { COMPACT_PATH, DIALECTS, type Dialect } from "./read-request.ts";
import { describeRefusal } from "./refuse-in-dialect.ts";

export interface GatewayMount {
  readonly gateway: GatewayParts;
  readonly access: Access;
  /** True if the server has no tokens. */
  readonly isOpen: boolean;
  readonly findTenant: (tenantId: string) => Promise<Tenant>;
  readonly bodies: BodyBudget;
}

type GatewayContext = Context<{ Bindings: RequestState }>;
type Answer = (call: GatewayCall) => Promise<Response>;

export function mountGateway(app: MountedApp, mount: GatewayMount): void {
  const { gateway } = mount;
  for (const [path, dialect] of Object.entries<Dialect>(DIALECTS)) {
    app.post(path, (context) => {
      const answer: Answer = (call) => answerConversation(call, dialect, gateway);
      return answerCall(context, answer, { mount, vendor: dialect.vendor });
    });
  }
  app.post(COMPACT_PATH, (context) => {
    const dialect = DIALECTS["/v1/responses"];
    return answerCall(context, (call) => answerConversation(call, dialect, gateway), { mount, vendor: dialect.vendor });
  });
  const pass = (context: GatewayContext) => {
    const vendor = findVendor(context.req.raw.headers);
    return answerCall(context, (call) => passOn(call, vendor, gateway), { mount, vendor });
  };
  app.get("/v1/models", pass);
  app.get("/v1/models/:model", pass);
  app.post("/v1/messages/count_tokens", (context) =>
    answerCall(context, (call) => answerCount(call, gateway), { mount, vendor: "anthropic" }),
  );
  // Claude Code asks this address whether its API can be reached.
  app.get("/api/hello", () => new Response(null, { status: 204 }));
}

function findVendor(headers: Headers): Vendor {
  return headers.has("anthropic-version") ? "anthropic" : "openai";
}

/** A conversation may be in any session, so a token for one session is not enough. */
const ROUTE = { method: "POST", role: "chat", isOneSession: false } as const;

interface CallOptions {
  readonly mount: GatewayMount;
  readonly vendor: Vendor;
}

async function answerCall(context: GatewayContext, answer: Answer, { mount, vendor }: CallOptions): Promise<Response> {
  const { req, env } = context;
  const { raw: request } = req;
  env.route = "gateway";
  try {
    const caller = identify(mount, readRequestHead(request, env.address));
    env.tenantId = caller.tenantId;
    checkRole(caller, ROUTE);
    checkSession(caller, ROUTE, undefined);
    const { engine } = await mount.findTenant(caller.tenantId);
    using share = mount.bodies.open(caller.name);
    const limits = { ...BODY_LIMITS, bytes: MAX_GATEWAY_BYTES };
    const body = request.method === "POST" ? await readBodyBytes(request, limits, { share }) : undefined;
    const { method, headers, signal } = request;
    const target = readRequestHead(request, undefined).target;
    const onUpstream = (host: string) => {
      env.upstream = host;
    };
    const sent = { method, target, headers: withoutOwn(headers, mount), body, signal, share, engine, onUpstream };
    const { onError } = mount.gateway;
    return watchReply(await answer(sent), { caller, disconnect: env.disconnect, onError });
  } catch (error) {
    if (request.signal.aborted) throw error;
    return refuse(error, { vendor, requestId: env.requestId, onError: mount.gateway.onError });
  }
}

interface ReplyWatch {
  readonly caller: Caller;
  readonly disconnect: (() => void) | undefined;
  readonly onError: (error: unknown) => void;
}

function watchReply(response: Response, watch: ReplyWatch): Response {
  return response.body === null
    ? response
    : new Response(ReadableStream.from(passChunks(response.body, watch)), response);
}

/**
 * Ends before the next chunk once the token of the caller is no longer valid. A reply that ends early closes the
 * connection: the HTTP adapter would print the error, and end a reply that fails at its start like a complete one.
 */
async function* passChunks(
  chunks: AsyncIterable<Uint8Array>,
  { caller, disconnect, onError }: ReplyWatch,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of chunks) {
      checkStillValid(caller);
      yield chunk;
    }
  } catch (error) {
    if (disconnect === undefined) throw error;
    disconnect();
    if (!(error instanceof RefusedRequest)) onError(error);
  }
}

/** Without tokens, an authorization header is for the upstream. With tokens, Anthropic's clients send it as a key. */
function identify({ access, isOpen }: GatewayMount, head: RequestHead): Caller {
  const { header } = head;
  const key = isOpen ? undefined : header("x-api-key");
  const authorization = isOpen ? undefined : (header("authorization") ?? (key && `Bearer ${key}`));
  return access.identify({ ...head, header: (name) => (name === "authorization" ? authorization : header(name)) });
}

/** A token of this server is never sent to the upstream, in whatever header a client repeats it. */
function withoutOwn(headers: Headers, { isOpen }: GatewayMount): Headers {
  if (isOpen) return headers;
  const others = new Headers([...headers].filter(([, value]) => !value.includes(TOKEN_PREFIX)));
  others.delete("authorization");
  others.delete("x-api-key");
  return others;
}

interface Refusal {
  readonly vendor: Vendor;
  readonly requestId: string;
  readonly onError: (error: unknown) => void;
}

function refuse(error: unknown, { vendor, requestId, onError }: Refusal): Response {
  const { status, headers, body, isUnexpected } = answerError(error, requestId);
  if (isUnexpected) onError(error);
  return Response.json(describeRefusal(vendor, { status, message: body.error.message }), { status, headers });
}
