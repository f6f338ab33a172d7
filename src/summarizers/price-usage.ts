/** Adds up the usage that providers report, and estimates the cost of a call before it is made. */
import type { PriceCard } from "../core/budget/model-info.ts";
import type { Usage } from "../core/log/entry.ts";
import type { Message } from "../core/message/message.ts";
import { messageText } from "../core/message/message-text.ts";
import { PREVIEW_RESULTS } from "../core/summary/strategies/build-transcript.ts";
import { FALLBACK_CHARACTERS_PER_TOKEN } from "../core/tokens/count-text.ts";
import type { SummaryRequest } from "../ports/summarizer.ts";
import type { ModelPool } from "./model-pool.ts";

export const USAGE_FIGURES = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

export function addUsage(before: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (before === undefined || more === undefined) return before ?? more;
  const sums = USAGE_FIGURES.flatMap((name) => {
    const figures = [before[name], more[name]].filter((figure) => figure !== undefined);
    return figures.length === 0 ? [] : [[name, figures.reduce((sum, figure) => sum + figure, 0)] as const];
  });
  return Object.fromEntries(sums);
}

const MILLION = 1_000_000;

export interface ExpectedUsage {
  readonly cachedTokens?: number | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Used without a price card: reading a cached token costs a tenth, as with most providers. */
export const RATIO_PRICES: PriceCard = { input: MILLION, output: 0, cacheRead: MILLION / 10, cacheWrite: MILLION };

export function priceExpected(
  { cachedTokens = 0, inputTokens, outputTokens }: ExpectedUsage,
  prices: PriceCard,
): number {
  return (cachedTokens * prices.cacheRead + inputTokens * prices.input + outputTokens * prices.output) / MILLION;
}

export interface RequestSizes {
  readonly stretchTokens: number;
  /** Tokens of each request without its messages. */
  readonly overheadTokens: number;
  readonly outputTokens: number;
  readonly chunkTokens: number;
  readonly chunked: boolean;
}

/** Each further chunk reads and rewrites the summary so far. */
export function estimateUsage(expectation: RequestSizes): ExpectedUsage {
  const { stretchTokens, overheadTokens, outputTokens, chunkTokens, chunked } = expectation;
  const calls = chunked ? Math.max(1, Math.ceil(stretchTokens / Math.max(1, chunkTokens))) : 1;
  const readTokens = chunked ? stretchTokens : Math.min(stretchTokens, chunkTokens);
  const inputTokens = readTokens + calls * overheadTokens + (calls - 1) * outputTokens;
  return { inputTokens, outputTokens: calls * outputTokens };
}

export type CostRequest = Pick<SummaryRequest, "stretch" | "previous" | "capTokens">;

export interface CostOptions {
  readonly strategy: string;
  readonly chunkTokens: number;
  readonly chunked: boolean;
  readonly pool: ModelPool;
}

/** The rules, the schema and the delimiters of the longest strategy. */
const RULES_TOKENS = 1_500;

/** Returns US dollars, or 0 if they are unknown. Reads only lengths, because the gate asks at every turn. */
export function estimateCost({ stretch, previous, capTokens }: CostRequest, options: CostOptions): number {
  const stretchTokens = stretch.reduce((sum, message) => sum + estimateTokens(message, options.strategy), 0);
  const overheadTokens = RULES_TOKENS + tokensOf(previous?.text.length ?? 0);
  const inputTokens = overheadTokens + Math.min(stretchTokens, options.chunkTokens);
  const { chosen } = options.pool.choose({ inputTokens, outputTokens: capTokens });
  const prices = chosen?.info.prices;
  if (chosen === undefined || prices === undefined) return 0;
  const room = Math.max(1, chosen.info.windowTokens - capTokens - overheadTokens);
  const chunkTokens = Math.min(options.chunkTokens, room);
  const { chunked } = options;
  const usage = estimateUsage({ stretchTokens, overheadTokens, outputTokens: capTokens, chunkTokens, chunked });
  return priceExpected(usage, prices);
}

/** Only handoffs read long tool output. */
function estimateTokens(message: Message, strategy: string): number {
  const { length } = messageText(message);
  const isPreviewed = message.role === "tool" && !strategy.startsWith("handoff");
  const shortened = isPreviewed && length > PREVIEW_RESULTS.limitCharacters;
  return tokensOf(shortened ? PREVIEW_RESULTS.keepCharacters : length);
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / FALLBACK_CHARACTERS_PER_TOKEN);
}
