/** Sums of the requests of one conversation, as a provider would report and bill them. */
import { costOfInput, type PriceTag } from "../../src/replay/prices.ts";
import type { CacheOutcome } from "../../src/replay/prompt-cache.ts";

export interface Totals {
  readonly requests: number;
  readonly compactions: number;
  readonly promptTokens: number;
  readonly readTokens: number;
  readonly usd: number;
  /** Only requests that continue the previous one: neither the first nor one with a compaction. */
  readonly betweenTokens: number;
  readonly betweenReadTokens: number;
  /** For the same requests: tokens of the previous request, the most that could be read. */
  readonly sentBeforeTokens: number;
}

export class TotalsCounter {
  readonly #price: PriceTag;
  #lastTokens: number | undefined;
  #totals: Totals = {
    requests: 0,
    compactions: 0,
    promptTokens: 0,
    readTokens: 0,
    usd: 0,
    betweenTokens: 0,
    betweenReadTokens: 0,
    sentBeforeTokens: 0,
  };

  constructor(price: PriceTag) {
    this.#price = price;
  }

  get totals(): Totals {
    return this.#totals;
  }

  add(outcome: CacheOutcome, { isCompacted }: { readonly isCompacted: boolean }): void {
    const before = this.#totals;
    const tokens = outcome.plainTokens + outcome.readTokens + outcome.writeTokens;
    const isBetween = this.#lastTokens !== undefined && !isCompacted;
    this.#totals = {
      requests: before.requests + 1,
      compactions: before.compactions + (isCompacted ? 1 : 0),
      promptTokens: before.promptTokens + tokens,
      readTokens: before.readTokens + outcome.readTokens,
      usd: before.usd + costOfInput(outcome, this.#price),
      betweenTokens: before.betweenTokens + (isBetween ? tokens : 0),
      betweenReadTokens: before.betweenReadTokens + (isBetween ? outcome.readTokens : 0),
      sentBeforeTokens: before.sentBeforeTokens + (isBetween ? (this.#lastTokens ?? 0) : 0),
    };
    this.#lastTokens = tokens;
  }
}
