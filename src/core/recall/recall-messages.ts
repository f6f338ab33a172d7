/** Recalls passages from a list of messages, without a store. Searches every message of the list. */
import { ANYTHING, COUNT, checkArgument, checkOptions, type OptionRule, required, TEXT } from "../check-options.ts";
import { type AnyMessage, readMessages } from "../message/formats/read-messages.ts";
import { countText } from "../tokens/count-text.ts";
import type { Counter } from "../tokens/counter.ts";
import { requireCounter } from "../tokens/estimate.ts";
import { RecallIndex } from "./recall-index.ts";
import { type Recollection, recallPassages } from "./recall-passages.ts";

/** How many tokens the quoted passages may take, and how they are counted. */
export interface RecallMessagesOptions {
  /** Maximum number of tokens of the text. */
  readonly budgetTokens: number;
  /** Maximum number of passages. */
  readonly limit?: number | undefined;
  /** Default: the estimate that needs no table. */
  readonly counter?: Counter | undefined;
}

const RULES = {
  budgetTokens: required(COUNT),
  limit: COUNT,
  counter: ANYTHING,
} satisfies Record<keyof RecallMessagesOptions, OptionRule>;

/**
 * Returns the passages that match the query. Accepts messages in any supported format.
 *
 * @example
 * ```ts
 * const { text } = recallMessages(history, "Which pier?", { budgetTokens: 500 });
 * ```
 */
export function recallMessages(
  input: readonly AnyMessage[],
  query: string,
  options: RecallMessagesOptions,
): Recollection {
  checkArgument(query, TEXT, "query");
  checkOptions(options, RULES, "recallMessages");
  const counter = requireCounter(options.counter);
  const index = new RecallIndex();
  const { messages } = readMessages(input);
  index.add(messages);
  const now = messages.findLast(({ saidAt }) => saidAt !== undefined)?.saidAt;
  const { budgetTokens, limit } = options;
  const count = (text: string): number => countText(text, counter);
  return recallPassages(index, { text: query, without: new Set(), budgetTokens, count, limit, isExplicit: true, now });
}
