/** JSON-RPC over HTTP: a body in, an answer out, or none where only notifications came. */

import type { Handlers } from "../../server/app/handler.ts";
import { RefusedRequest } from "../../server/http/answer-error.ts";
import { BODY_LIMITS, readJson } from "../../server/http/read-body.ts";
import { sendJson } from "../../server/http/send-json.ts";
import { answerRpc, refuseUnreadable } from "./answer-rpc.ts";
import type { RpcContexts } from "./rpc-contexts.ts";

export interface CallRpcOptions {
  readonly contexts: RpcContexts;
  readonly onFailure: (requestId: string, error: unknown) => void;
}

export function createRpcHandlers({ contexts, onFailure }: CallRpcOptions): Handlers<"callRpc"> {
  return {
    callRpc: async ({ tenant, request }) => {
      const context = await contexts.find(tenant);
      const payload = await readPayload(request);
      if ("unreadable" in payload) return Response.json(refuseUnreadable(payload.unreadable));
      // How often somebody may ask over HTTP is the app's business.
      const answer = await answerRpc(payload.value, { context, admit: () => undefined, onFailure });
      return answer === undefined ? new Response(null, { status: 204 }) : sendJson(answer);
    },
  };
}

/** What is no JSON is answered in the words of JSON-RPC; what is too large or of another kind, in those of HTTP. */
async function readPayload(request: Request): Promise<{ readonly value: unknown } | { readonly unreadable: string }> {
  try {
    return { value: await readJson(request, BODY_LIMITS) };
  } catch (error) {
    if (error instanceof RefusedRequest && error.code === "request-invalid") return { unreadable: error.message };
    throw error;
  }
}
