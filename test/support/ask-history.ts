/** Reads a repository's history like a client: by JSON-RPC, from a server that runs alongside the writing process. */
import { startTestServer } from "./start-server.ts";

interface Folder {
  readonly path: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response.
export async function askHistory(folder: Folder, method: string, ...params: readonly unknown[]): Promise<any> {
  await using server = await startTestServer({ store: `workspace:${folder.path}`, hasSocket: true });
  const { body } = await server.ask("POST", "/rpc", { jsonrpc: "2.0", id: 1, method, params });
  if (body.error !== undefined) throw new Error(body.error.message);
  return body.result;
}
