/**
 * What is known of a model: how much it takes, what it costs, how its provider caches, and which counter comes nearest.
 * A catalogue is data that goes out of date; every field can be overridden by whoever knows better.
 */
import type { MediaFamily } from "../tokens/media-tokens.ts";

/** Counters that a model can be counted with. The first two are tables that must be loaded. */
export const COUNTER_NAMES = ["o200k", "cl100k", "estimate", "chars4", "words13"] as const;
export type CounterName = (typeof COUNTER_NAMES)[number];

/** US dollars per million tokens, for requests below any long-context surcharge. */
export interface PriceCard {
  readonly input: number;
  readonly output: number;
  /** What a token costs that was read from the prompt cache. */
  readonly cacheRead: number;
  /** What a token costs that is written to the prompt cache; equal to `input` where writing is free. */
  readonly cacheWrite: number;
}

/** How a provider caches prompts. Ratios are of the price of an uncached input token. */
export interface CacheRules {
  /** Shorter prefixes are never cached, whatever is marked. */
  readonly minimumTokens: number;
  readonly readRatio: number;
  readonly writeRatio: number;
  /** How long a prefix lives that nobody reads. */
  readonly ttlMs: number;
  /** Markers a request may carry; 0 where the provider finds the prefix itself. */
  readonly breakpoints: number;
}

export interface ModelInfo {
  readonly id: string;
  /** Whose model it is, not who serves it: `openai`, `anthropic`, `google`, … or `unknown`. */
  readonly provider: string;
  /** Prompt and reply together. */
  readonly windowTokens: number;
  /** The prompt alone, only where the provider holds it to less than the window; see `inputLimit`. */
  readonly maxInputTokens?: number | undefined;
  readonly maxOutputTokens: number;
  readonly counter: CounterName;
  /** True when `counter` is this model's own tokenizer. */
  readonly exactCounter: boolean;
  /** What counts are multiplied by until usage has taught better. */
  readonly startFactor: number;
  readonly media: MediaFamily;
  /**
   * Whether the provider refuses thinking that is sent back after anything before it has changed: instructions, tools,
   * or an earlier message. See `prompt/walk-thinking.ts`.
   */
  readonly bindsThinking: boolean;
  readonly prices?: PriceCard | undefined;
  readonly cache: CacheRules;
}

// The shape of the generated catalogue: compact rows, because there are hundreds of them.
/** Tokens of window, input and output; then dollars per million of input, output, cache read and cache write. */
export type CatalogueRow = readonly [
  windowTokens: number,
  maxInputTokens: number,
  maxOutputTokens: number,
  input?: number,
  output?: number,
  cacheRead?: number,
  cacheWrite?: number,
];

export interface ModelCatalogue {
  /** The day the data was read, as `2026-11-15`. */
  readonly generatedOn: string;
  /** The packages it was read from, with their versions. */
  readonly source: string;
  /** By canonical id, sorted. */
  readonly models: Readonly<Record<string, CatalogueRow>>;
}
