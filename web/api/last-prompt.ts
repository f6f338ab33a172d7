/** The prompt that was really sent last, as far as the server remembers it. */
import { client } from "./client.ts";
import type { ProviderName } from "./view.ts";

export interface LastPrompt {
  /** Undefined where none was sent yet. */
  readonly at?: number | undefined;
  /** Undefined where its words are not remembered. */
  readonly prompt?: unknown;
}

export async function loadLastPrompt(id: string, provider: ProviderName, signal?: AbortSignal): Promise<LastPrompt> {
  const { at, prompt } = await client.readLastPrompt({ params: { id }, query: { provider }, signal });
  return { at, prompt };
}
