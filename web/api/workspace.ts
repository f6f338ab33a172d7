/** Files and web pages that are sent with every prompt of a session. */
import { client } from "./client.ts";
import type { Workspace } from "./values.ts";

export async function loadWorkspace(id: string, signal?: AbortSignal): Promise<Workspace> {
  return client.readWorkspace({ params: { id }, signal });
}

/** False if the workspace folder has no such file. */
export async function addFile(id: string, path: string): Promise<boolean> {
  return (await client.addFile({ params: { id }, body: { path } })).added;
}

export async function removeFile(id: string, path: string): Promise<void> {
  await client.removeFile({ params: { id }, query: { path } });
}

/** Returns the reason if the server rejected the address. */
export async function addLink(id: string, url: string): Promise<string | undefined> {
  const outcome = await client.addLink({ params: { id }, body: { url } });
  return outcome.type === "refused" ? outcome.reason : undefined;
}

export async function removeLink(id: string, url: string): Promise<void> {
  await client.removeLink({ params: { id }, query: { url } });
}
