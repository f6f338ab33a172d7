/** Limits, prices and cache rules of a model. The catalogue can be out of date, so callers can override every field. */
import type { MediaFamily } from "../tokens/media-tokens.ts";

/** Names of the counters. The first two need tables that must be loaded. */
export const COUNTER_NAMES = ["o200k", "cl100k", "estimate", "chars4", "words13"] as const;
export type CounterName = (typeof COUNTER_NAMES)[number];

/** US dollars per million tokens, for requests below any long-context surcharge. */
export interface PriceCard {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** Equal to `input` if writing is free. */
  readonly cacheWrite: number;
}

/** The cache rules of a provider. Ratios are relative to the price of an uncached input token. */
export interface CacheRules {
  /** Shorter prefixes are never cached, even with a breakpoint. */
  readonly minimumTokens: number;
  readonly readRatio: number;
  readonly writeRatio: number;
  /** How long an unused prefix stays in the cache. */
  readonly ttlMs: number;
  /** Breakpoints that a request may have; 0 if the provider finds the prefix itself. */
  readonly breakpoints: number;
}

/** Facts that the models of a family share. */
export interface ModelFamily {
  /** The maker of the model, not the host: `openai`, `anthropic`, `google`, … or `unknown`. */
  readonly provider: string;
  readonly counter: CounterName;
  readonly exactCounter: boolean;
  /** The factor for counts until reported usage gives a better one. */
  readonly startFactor: number;
  readonly media: MediaFamily;
  /** Whether the provider refuses thinking if anything before it changed; see `prompt/walk-thinking.ts`. */
  readonly bindsThinking: boolean;
  readonly cache: CacheRules;
}

export interface ModelInfo extends ModelFamily {
  readonly id: string;
  /** The limit of prompt and reply together. */
  readonly windowTokens: number;
  /** The limit of the prompt alone, if it is lower than the window; see `computeInputLimit`. */
  readonly maxInputTokens?: number | undefined;
  readonly maxOutputTokens: number;
  readonly prices?: PriceCard | undefined;
}

/** One row of the generated catalogue. Prices are in US dollars per million tokens. */
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
  readonly generatedOn: string;
  readonly source: string;
  /** By canonical id, sorted. */
  readonly models: Readonly<Record<string, CatalogueRow>>;
}
