/** Answers: who can give them, how one is ended, and what happens meanwhile. */
import type { ClientEvent } from "../../src/client/client-types.ts";
import { client } from "./client.ts";
import type { Model } from "./values.ts";

export type { ClientEvent };

/** Names of the models that can be asked, the default first. */
export async function listModels(signal?: AbortSignal): Promise<readonly Model[]> {
  return (await client.readSettings({ signal })).models.map(({ id, isOffline }) => ({ id, isOffline }));
}

/** Ends the answer that is under way. */
export async function cancelChat(id: string): Promise<void> {
  await client.cancelChat({ params: { id } });
}

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Goes on after this event; empty for what comes from now on. */
  readonly lastId: string;
}

export const followEvents = (sessionId: string, options: FollowOptions) =>
  client.events({ query: { sessionId }, ...options });
