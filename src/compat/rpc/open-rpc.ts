/** The JSON-RPC surface of the workspace document as an extension of the server: contexts, WebSockets and handlers. */
import { RPC_ROUTES } from "../../protocol/rpc-methods.ts";
import { guardUpgrade } from "../../server/access/guard-upgrade.ts";
import { checkRole, checkSession } from "../../server/access/permissions.ts";
import type { Handlers } from "../../server/app/handler.ts";
import { RefusedRequest } from "../../server/http/answer-error.ts";
import type { BodyShare } from "../../server/http/body-budget.ts";
import { BODY_LIMITS, readJsonBody } from "../../server/http/read-body.ts";
import { sendJson } from "../../server/http/send-json.ts";
import type { ExtensionParts, ServerExtension } from "../../server/server-extension.ts";
import { answerRpc, refuseUnreadable } from "./answer-rpc.ts";
import { RpcContexts } from "./rpc-context.ts";
import { createRpcSockets } from "./rpc-sockets.ts";

export function openRpc(parts: ExtensionParts): ServerExtension {
  const { repositoryName, log, heartbeatMs, access, chats, tenants, metrics, findTurnRequest, stopping, bodies } =
    parts;
  const onFailure = (requestId: string, error: unknown) => log.failed(requestId, error);
  const shared = { chats, findTurnRequest, repositoryName };
  const contexts = new RpcContexts({ ...shared, onFailure: (error) => log.failed("rpc", error) });
  const sockets = createRpcSockets({
    contexts,
    bodies,
    admit: async (request) => {
      const caller = guardUpgrade(request, access);
      checkRole(caller, RPC_ROUTES.callRpc);
      checkSession(caller, RPC_ROUTES.callRpc, undefined);
      const { tenantId, name, isValid } = caller;
      return { tenant: await tenants.find(tenantId), name, isValid };
    },
    isStopping: () => stopping.aborted,
    onOpen: () => metrics.openStream("rpc"),
    onFailure,
    heartbeatMs,
  });
  return {
    handlers: createRpcHandlers(contexts, onFailure),
    prepare: async (tenant) => void (await contexts.find(tenant)),
    upgrade: sockets.upgrade,
    settle: () => contexts.settle(),
    disconnect: () => sockets.close(),
    close: () => contexts.close(),
  };
}

function createRpcHandlers(
  contexts: RpcContexts,
  onFailure: (requestId: string, error: unknown) => void,
): Handlers<"callRpc"> {
  return {
    callRpc: async ({ tenant, request, share }) => {
      const context = await contexts.find(tenant);
      const payload = await readPayload(request, share);
      if ("unreadable" in payload) return Response.json(refuseUnreadable(payload.unreadable));
      // The app limits the rate of HTTP requests.
      const answer = await answerRpc(payload.value, { context, admit: () => undefined, onFailure });
      return answer === undefined ? new Response(null, { status: 204 }) : sendJson(answer);
    },
  };
}

/** Invalid JSON is answered as JSON-RPC; a body that is too large or of another type as HTTP. */
async function readPayload(
  request: Request,
  share: BodyShare,
): Promise<{ readonly value: unknown } | { readonly unreadable: string }> {
  try {
    return { value: await readJsonBody(request, BODY_LIMITS, share) };
  } catch (error) {
    if (error instanceof RefusedRequest && error.code === "request-invalid") return { unreadable: error.message };
    throw error;
  }
}
