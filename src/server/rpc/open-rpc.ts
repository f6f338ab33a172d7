/** JSON-RPC of a server: what each tenant's clients share, their sockets, and the handlers of its rows. */
import type { Access } from "../access.ts";
import type { Chats } from "../chat/chats.ts";
import { guardUpgrade } from "../guard-upgrade.ts";
import type { Metrics } from "../metrics.ts";
import type { RequestLog } from "../request-log.ts";
import type { Tenants } from "../tenants.ts";
import type { FindTurnRequest } from "../turn-request.ts";
import { createRpcHandlers } from "./call-rpc.ts";
import { RpcContexts } from "./rpc-contexts.ts";
import { createRpcSockets } from "./rpc-sockets.ts";

interface RpcChoices {
  readonly log: Pick<RequestLog, "failed">;
  readonly repositoryName: string;
  readonly heartbeatMs?: number | undefined;
}

interface RpcNeeds {
  readonly access: Access;
  readonly chats: Chats;
  readonly tenants: Tenants;
  readonly metrics: Metrics;
  readonly findTurnRequest: FindTurnRequest;
  readonly stopping: AbortSignal;
}

export function openRpc(
  { repositoryName, log, heartbeatMs }: RpcChoices,
  { access, chats, tenants, metrics, findTurnRequest, stopping }: RpcNeeds,
) {
  const onFailure = (requestId: string, error: unknown) => log.failed(requestId, error);
  const contexts = new RpcContexts({
    chats,
    findTurnRequest,
    repositoryName,
    onFailure: (error) => log.failed("rpc", error),
  });
  const sockets = createRpcSockets({
    contexts,
    admit: async (request) => tenants.find(guardUpgrade(request, access)),
    isStopping: () => stopping.aborted,
    onOpen: () => metrics.openStream("rpc"),
    onFailure,
    heartbeatMs,
  });
  return { contexts, sockets, handlers: createRpcHandlers({ contexts, onFailure }) };
}
