/**
 * Counts tokens of short pieces of text. Everything longer goes through `count-text.ts`, which cuts it into windows,
 * because exact tokenizers need minutes for a megabyte of one letter.
 */
import type { Flavoured } from "../message/message.ts";

/** An encoder and its version, never a factor: `o200k@1`. Stored beside entries, so a change of meaning is a new id. */
export type CounterId = Flavoured<"counter">;

export interface Counter {
  readonly id: CounterId;
  /** True when this is the tokenizer of the model it counts for; otherwise people are told that figures are estimates. */
  readonly exact: boolean;
  /** Tokens a provider adds around each message for its role and structure. */
  readonly messageOverheadTokens: number;
  /**
   * Tokens of at most 2,048 characters of ordinary text; text that looks like a special token is text. Pure. It may
   * throw where the tokenizer does: the caller then falls back to four characters a token.
   */
  countWindow(text: string): number;
  /**
   * Starts a count of one text that arrives in pieces. Counters whose result is not the sum of its windows (a rounded
   * quotient, a rule about the whole text) have it, and longer text then goes through it instead of `countWindow`.
   */
  startTally?(): Tally;
}

/** A count under way. The result depends on the text alone, never on where it was cut into pieces. Linear. */
export interface Tally {
  add(piece: string): void;
  /** Tokens of everything added so far. More may be added afterwards. */
  tokens(): number;
}
