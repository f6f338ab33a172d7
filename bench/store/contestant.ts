/**
 * The interface of a contestant of `bench store`: store the messages of a turn, and read a conversation through a new
 * handle. The files in `bench/peers/` implement it in plain JavaScript. This file has only types.
 */
import type { TurnMessage } from "../turn-cost/contestant.ts";

export interface StoreContestant {
  readonly name: string;
  readonly version: string;
  /** Describes the timed calls, and what a reader needs to know to judge the figures. */
  readonly note: string;
  readonly medium: Medium;
  /**
   * `every-turn`: gets every message from the first. `preloaded`: its writes grow with the conversation, so it gets the
   * messages before the measured turns at once.
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
  /** Starts another conversation with these messages. Only for contestants that are preloaded. */
  preload?(messages: readonly TurnMessage[]): Promise<void>;
  /** Stores a turn, and returns the milliseconds that this took. */
  turn(turn: Turn): Promise<number>;
  /** Opens a new handle, which reads what is needed to continue the conversation. Closing it is not timed. */
  open(): Promise<OpenedConversation>;
  /** Resolves when all background writes are done. */
  settle?(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenedConversation {
  /** How many messages were read. */
  readonly messages: number;
  close?(): Promise<void>;
}
