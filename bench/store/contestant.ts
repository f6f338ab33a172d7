/**
 * What `bench store` asks of everybody who keeps conversations, us included: take what was said in a turn, and give a
 * conversation back through a handle that knows nothing of it yet. The files in `bench/peers/` keep to the same shape in
 * plain JavaScript. This file holds types only.
 */
import type { TurnMessage } from "../turn-cost/contestant.ts";

export interface StoreContestant {
  readonly name: string;
  readonly version: string;
  /** The calls that are timed, in words, and what a reader must know to judge the figures. */
  readonly note: string;
  readonly medium: Medium;
  /**
   * `every-turn`: fed from the first message on. `preloaded`: what it writes each turn grows with the conversation, so
   * it is handed the messages before the measured turns at once.
   */
  readonly feeding: "every-turn" | "preloaded";
  start(options: StartOptions): Promise<KeptConversation>;
}

export type Medium = "sqlite" | "postgres" | "memory";

export interface StartOptions {
  /** The path of a file, or the address of a database; new in both cases. */
  readonly place: string;
  readonly budgetTokens: number;
}

/** A question and its answer. */
export type Turn = readonly [TurnMessage, TurnMessage];

export interface KeptConversation {
  /** Begins another conversation with these messages. Only of contestants that are preloaded. */
  preload?(messages: readonly TurnMessage[]): Promise<void>;
  /** Keeps a turn, and gives the milliseconds that keeping it took. */
  turn(turn: Turn): Promise<number>;
  /** A new handle reads what the conversation is continued from. Closing it is not timed. */
  open(): Promise<OpenedConversation>;
  /** Resolves when nothing is left to be written behind anybody's back. */
  settle?(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenedConversation {
  /** How many messages were read. */
  readonly messages: number;
  close?(): Promise<void>;
}
