/** The MCP server over HTTP: one server for each request, with the access of that request. */
import type { Client } from "../client/index.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { loadSdk } from "./load-sdk.ts";

export interface McpRequest {
  readonly request: Request;
  /** The parsed body. */
  readonly body: unknown;
  /** Calls the server with the access of this request. */
  readonly client: Client;
}

export interface McpEndpoint {
  answer(request: McpRequest): Promise<Response>;
}

/** Keeps no state between requests, so any server behind a load balancer can answer any of them. */
export async function createMcpEndpoint(version: string): Promise<McpEndpoint> {
  const { createMcpHandler } = await loadSdk();
  return {
    answer: ({ request, body, client }) =>
      createMcpHandler(() => createMcpServer(client, { version }), { maxSubscriptions: 0 }).fetch(request, {
        parsedBody: body,
      }),
  };
}
