/** Answers: who can give them, and how one is ended. */
import { client } from "./client.ts";
import type { Model } from "./values.ts";

/** Names of the models that can be asked, the default first. */
export async function listModels(signal?: AbortSignal): Promise<readonly Model[]> {
  return (await client.readSettings({ signal })).models.map(({ id, isOffline }) => ({ id, isOffline }));
}

/** Ends the answer that is under way. */
export async function cancelChat(id: string): Promise<void> {
  await client.cancelChat({ params: { id } });
}
