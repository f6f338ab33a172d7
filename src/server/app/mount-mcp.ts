/**
 * Answers MCP over HTTP at `/mcp`. Its tools call the server's own routes with the headers of the request, so that
 * tokens, roles, tenants and limits are those of the API.
 */
import { createOwnClient, loadMcpEndpoint } from "../../compose/load-mcp.ts";
import type { Access } from "../access/access.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import { BODY_LIMITS, type BodyLimits, readJsonBody } from "../http/read-body.ts";
import { readRequestHead } from "../http/request-head.ts";
import type { App, MountedApp } from "./create-app.ts";

export interface McpOptions {
  readonly access: Access;
  readonly version: string;
  readonly bodies: BodyBudget;
  readonly limits?: BodyLimits | undefined;
  readonly fetch: App["fetch"];
}

const PATH = "/mcp";
/** Decide on access, and on the address that limits count by. */
const ACCESS_HEADERS = ["authorization", "x-forwarded-for"] as const;

export function mountMcp(app: MountedApp, { access, version, bodies, limits = BODY_LIMITS, fetch }: McpOptions): void {
  app.all(PATH, async ({ req, env }) => {
    env.route = "mcp";
    const { raw: request } = req;
    const { tenantId, name } = access.identify(readRequestHead(request, env.address));
    env.tenantId = tenantId;
    using share = bodies.open(name);
    const body = request.method === "POST" ? await readJsonBody(request, limits, share) : undefined;
    const endpoint = await loadMcpEndpoint(version);
    const client = createOwnClient((call) => fetch(withAccess(call, request), { address: env.address }));
    return endpoint.answer({ request, body, client });
  });
}

function withAccess(call: Request, { headers }: Request): Request {
  for (const name of ACCESS_HEADERS) {
    const value = headers.get(name);
    if (value !== null) call.headers.set(name, value);
  }
  return call;
}
