/**
 * The one summarizer that every policy uses, so that none wins by a better text: code writes what fits its budget. If
 * free, it may fill the summary's maximum size. If priced, it writes as much as a model would and costs as much: the
 * transcript as input and `MODEL_SUMMARY_TOKENS` as output, or the conversation's own cached prompt and one instruction, if the
 * caller may use that.
 *
 * Texts are cached by their input, because several price lists use the same conversation.
 */

import type { Message } from "../core/message/message.ts";
import { summarizeOffline } from "../core/summary/offline/summarize-offline.ts";
import type { SummaryRecord } from "../core/summary/record/record.ts";
import type { BlockBook } from "./prompt-blocks.ts";

export type SummaryMode = "free" | "priced";

/** The tokens sent to a model for a summary, and its output. */
export interface PaidSummary {
  /** Tokens at the price of plain input. */
  readonly inputTokens: number;
  /** Tokens that are read from the conversation's own cache. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

/** The maximum size of a summary that code writes. */
export const MAX_OFFLINE_TOKENS = 4_000;
/** The size of a summary that a model writes. */
export const MODEL_SUMMARY_TOKENS = 1_500;
const INSTRUCTION_TOKENS = 500;

export interface SummarizeOptions {
  readonly previous: SummaryRecord | undefined;
  /** A smaller limit than the summarizer's, if the caller has less room. */
  readonly capTokens?: number | undefined;
}

export interface PriceOptions {
  readonly previous: SummaryRecord | undefined;
  /** Tokens of the conversation's own prompt, if its provider still has it and it may be used. */
  readonly warmTokens?: number | undefined;
}

export class SharedSummarizer {
  readonly mode: SummaryMode;
  readonly #book: BlockBook;
  readonly #written = new Map<string, SummaryRecord>();

  constructor(mode: SummaryMode, book: BlockBook) {
    this.mode = mode;
    this.#book = book;
  }

  summarize(stretch: readonly Message[], { previous, capTokens = Number.POSITIVE_INFINITY }: SummarizeOptions) {
    const budgetTokens = Math.min(capTokens, this.mode === "free" ? MAX_OFFLINE_TOKENS : MODEL_SUMMARY_TOKENS);
    const contents = stretch.flatMap((message) => this.#book.blocksOf(message).map(({ content }) => content));
    const key = `${budgetTokens} ${previous?.id} ${previous?.text.length} ${contents.join(" ")}`;
    const known = this.#written.get(key);
    if (known !== undefined) return known;
    const record = summarizeOffline(stretch, { budgetTokens, previous, counter: this.#book.counter });
    this.#written.set(key, record);
    return record;
  }

  /** Returns the tokens of the request for one summary; an empty list if summaries are free. */
  price(stretch: readonly Message[], { previous, warmTokens }: PriceOptions): readonly PaidSummary[] {
    if (this.mode === "free") return [];
    const transcriptTokens = this.#book.tokensOf(stretch) + (previous?.tokensAfter ?? 0);
    // With every provider here, a cached token costs at least a tenth of a plain one.
    const isCheaper = warmTokens !== undefined && warmTokens * 0.1 < transcriptTokens;
    return isCheaper
      ? [{ inputTokens: INSTRUCTION_TOKENS, cachedTokens: warmTokens, outputTokens: MODEL_SUMMARY_TOKENS }]
      : [{ inputTokens: transcriptTokens + INSTRUCTION_TOKENS, cachedTokens: 0, outputTokens: MODEL_SUMMARY_TOKENS }];
  }
}
