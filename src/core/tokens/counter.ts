/** Counts tokens of short texts. `count-text.ts` cuts longer ones, for which exact tokenizers may need minutes. */
import type { Flavored } from "../message/message.ts";

/** An encoder and its version, such as `o200k@1`. Stored with entries, so a counter that changes needs a new id. */
export type CounterId = Flavored<"counter">;

/** Counts the tokens of text, and says whether it is the model's own tokenizer. */
export interface Counter {
  readonly id: CounterId;
  /** Whether this is the tokenizer of the model it counts for. Otherwise figures are shown as estimates. */
  readonly exact: boolean;
  /** Tokens a provider adds around each message for its role and structure. */
  readonly messageOverheadTokens: number;
  /** Counts at most 2,048 characters. Special tokens count as text. If it throws, four characters count as a token. */
  countWindow(text: string): number;
  /**
   * Starts counting a text that arrives in pieces. For counters whose result is not the sum of its windows, such as a
   * rounded quotient; longer text then uses this instead of `countWindow`.
   */
  startTally?(): Tally;
}

/** A count in progress, in linear time. The result does not depend on how the text is cut into pieces. */
export interface Tally {
  add(piece: string): void;
  /** Returns the tokens of everything added so far. More may be added afterwards. */
  tokens(): number;
}
