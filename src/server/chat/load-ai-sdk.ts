/** The AI SDK, loaded with the first chat: it takes longer to load than the rest of the server. */
export type AiSdk = typeof import("ai");

export function loadAiSdk(): Promise<AiSdk> {
  return import("ai");
}
