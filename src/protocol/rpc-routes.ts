/** Where JSON-RPC is spoken. What is inside a request is `rpc-methods.ts`; a WebSocket is opened at the same address. */
import { route } from "./route.ts";

export const RPC_ROUTES = {
  callRpc: route({
    method: "POST",
    path: "/rpc",
    tag: "operations",
    summary: "JSON-RPC 2.0, single or in a batch, with the method names of the workspace document.",
    takes: "json",
    mayBeEmpty: "Nothing but notifications was sent.",
  }),
} as const;
