/** The JSON-RPC surface of the workspace document as an extension of the server: contexts, WebSockets and handlers. */
import { guardUpgrade } from "../../server/access/guard-upgrade.ts";
import type { OpenExtension } from "../../server/server-extension.ts";
import { createRpcHandlers } from "./call-rpc.ts";
import { RpcContexts } from "./rpc-contexts.ts";
import { createRpcSockets } from "./rpc-sockets.ts";

export const openRpc: OpenExtension = (parts) => {
  const { repositoryName, log, heartbeatMs, access, chats, tenants, metrics, findTurnRequest, stopping } = parts;
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
  return {
    handlers: createRpcHandlers({ contexts, onFailure }),
    prepare: async (tenant) => void (await contexts.find(tenant)),
    upgrade: sockets.upgrade,
    settle: () => contexts.settle(),
    disconnect: () => sockets.close(),
    close: () => contexts.close(),
  };
};
