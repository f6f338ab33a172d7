/** What the model would see, what became of the rest, and how full the window is. */
import { client } from "./client.ts";
import { readStrip } from "./read-strip.ts";
import { readCompactionState, readView } from "./read-view.ts";
import type { CompactionState, Strip, View } from "./values.ts";

export const PROVIDERS = {
  "ai-sdk": "AI SDK",
  openai: "OpenAI chat",
  "openai-responses": "OpenAI responses",
  anthropic: "Anthropic",
  gemini: "Gemini",
} as const;
export type ProviderName = keyof typeof PROVIDERS;

export interface StripRange {
  /** As it was chosen; a prompt for another one may hold less. */
  readonly model?: string | undefined;
  readonly firstSeq?: number | undefined;
  readonly lastSeq?: number | undefined;
  readonly buckets: number;
}

export async function loadStrip(id: string, range: StripRange, signal?: AbortSignal): Promise<Strip> {
  return readStrip(await client.readStrip({ params: { id }, query: range, signal }));
}

export interface ViewRequest {
  readonly provider: ProviderName;
  /** As it was chosen, `provider:model`; the server's own where nobody chose. */
  readonly model: string | undefined;
}

export async function loadView(id: string, { provider, model }: ViewRequest, signal?: AbortSignal): Promise<View> {
  return readView(await client.readView({ params: { id }, query: { provider, model }, signal }));
}

export async function loadCompactionState(
  id: string,
  model: string | undefined,
  signal?: AbortSignal,
): Promise<CompactionState> {
  return readCompactionState(await client.readBudget({ params: { id }, query: { model }, signal }));
}
