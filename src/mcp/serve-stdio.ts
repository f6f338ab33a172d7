/** The MCP server over standard input and output, for programs that start it themselves. */
import type { Client } from "../client/index.ts";
import { createMcpServer, type McpServerOptions } from "./create-mcp-server.ts";
import { loadStdio } from "./load-sdk.ts";

/** Serves until the signal is aborted; the caller aborts it when its input ends. */
export async function serveMcpOverStdio(
  client: Client,
  { signal, ...options }: McpServerOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const { serveStdio } = await loadStdio();
  const handle = serveStdio(() => createMcpServer(client, options));
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await handle.close();
}
