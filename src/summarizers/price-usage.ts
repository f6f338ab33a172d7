/** What calls used together, from what providers report, and what one would cost. What nobody reported is unknown. */
import type { PriceCard } from "../core/budget/model-info.ts";
import type { Usage } from "../core/log/entry.ts";

const FIGURES = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

export function addUsage(before: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (before === undefined || more === undefined) return before ?? more;
  const sums = FIGURES.flatMap((name) => {
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

/** Without a price card: a token read from a cache costs a tenth of a fresh one, as most providers have it. */
export const RATIO_PRICES: PriceCard = { input: MILLION, output: 0, cacheRead: MILLION / 10, cacheWrite: MILLION };

/** US dollars that a call would cost. */
export function priceExpected(
  { cachedTokens = 0, inputTokens, outputTokens }: ExpectedUsage,
  prices: PriceCard,
): number {
  return (cachedTokens * prices.cacheRead + inputTokens * prices.input + outputTokens * prices.output) / MILLION;
}
