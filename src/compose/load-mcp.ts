/** Loads the MCP endpoint of the server, and the client that its tools use. */
import { createClient } from "../client/index.ts";
import type { McpEndpoint } from "../mcp/create-endpoint.ts";

export async function loadMcpEndpoint(version: string): Promise<McpEndpoint> {
  const { createMcpEndpoint } = await import("../mcp/create-endpoint.ts");
  return createMcpEndpoint(version);
}

/** Returns a client that calls the server in this process. */
export function createOwnClient(fetch: (request: Request) => Promise<Response>): ReturnType<typeof createClient> {
  return createClient({ url: "http://localhost", fetch });
}
