/** Figures of a session: the next prompt, the last one, the strip, the budget and the usage. */
import { client } from "./client.ts";
import type { CompactionState, Fate, LastPrompt, SessionUsage, View } from "./values.ts";

export const PROVIDERS = {
  "ai-sdk": "AI SDK",
  openai: "OpenAI Chat Completions",
  "openai-responses": "OpenAI Responses",
  anthropic: "Anthropic",
  gemini: "Gemini",
} as const;
export type ProviderName = keyof typeof PROVIDERS;

export interface ViewRequest {
  readonly provider: ProviderName;
  /** `provider:model`, as the user chose it; undefined for the server's default. */
  readonly model: string | undefined;
}

export async function loadView(id: string, query: ViewRequest, signal?: AbortSignal): Promise<View> {
  return client.readView({ params: { id }, query, signal });
}

/** The last prompt that was sent, with its content if the server still has it. */
export async function loadLastPrompt(id: string, provider: ProviderName, signal?: AbortSignal): Promise<LastPrompt> {
  return client.readLastPrompt({ params: { id }, query: { provider }, signal });
}

/** Neighboring messages that share a fate. */
export interface StripSegment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly fate: Fate;
  readonly messages: number;
  /** Tokens in the log. */
  readonly tokens: number;
  /** Tokens in the next prompt. */
  readonly shownTokens: number;
}

export interface StripData {
  readonly lastSeq: number;
  readonly segments: readonly StripSegment[];
}

export interface StripRange {
  /** Model of the next prompt: another one may leave out more. */
  readonly model?: string | undefined;
  readonly firstSeq?: number | undefined;
  readonly lastSeq?: number | undefined;
  readonly buckets: number;
}

export async function loadStrip(id: string, query: StripRange, signal?: AbortSignal): Promise<StripData> {
  const { lastSeq, buckets } = await client.readStrip({ params: { id }, query, signal });
  const segments = buckets.flatMap((bucket) =>
    bucket.fates.map((part) => ({ ...part, firstSeq: bucket.firstSeq, lastSeq: bucket.lastSeq })),
  );
  return { lastSeq, segments };
}

export async function loadCompactionState(
  id: string,
  model: string | undefined,
  signal?: AbortSignal,
): Promise<CompactionState> {
  return (await client.readBudget({ params: { id }, query: { model }, signal })).compaction;
}

/** Costs and tokens so far, and the newest answers one by one. */
export async function loadUsage(id: string, newest: number, signal?: AbortSignal): Promise<SessionUsage> {
  return client.readUsage({ params: { id }, query: { newest }, signal });
}
