/**
 * Counts tokens of short pieces of text. Longer text goes through `count-text.ts`, which cuts it into windows, because
 * exact tokenizers need minutes for a megabyte of one letter.
 */
import type { Flavored } from "../message/message.ts";

/** An encoder and its version, never a factor: `o200k@1`. Stored with entries, so a new meaning needs a new id. */
export type CounterId = Flavored<"counter">;

export interface Counter {
  readonly id: CounterId;
  /** Whether this is the tokenizer of the model it counts for. Otherwise figures are shown as estimates. */
  readonly exact: boolean;
  /** Tokens a provider adds around each message for its role and structure. */
  readonly messageOverheadTokens: number;
  /** Counts at most 2,048 characters; special tokens are ordinary text. If it throws, four characters are a token. */
  countWindow(text: string): number;
  /**
   * Starts counting a text that arrives in pieces. For counters whose result is not the sum of its windows, such as a
   * rounded quotient; longer text then uses this instead of `countWindow`.
   */
  startTally?(): Tally;
}

/** A count in progress. The result depends on the text alone, not on how it was cut into pieces. Linear. */
export interface Tally {
  add(piece: string): void;
  /** Returns the tokens of everything added so far. More may be added afterwards. */
  tokens(): number;
}
