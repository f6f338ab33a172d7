/** The limits of chats: retries, silence, rounds and cost. */
export interface ChatLimits {
  /** Calls of a provider in one round, the first included. */
  readonly attempts: number;
  /** A call is aborted if the provider sends nothing for this long. Tools may take longer. */
  readonly silenceMs: number;
  /** Calls of a round that may end in silence. */
  readonly silentAttempts: number;
  /** First pause before a retry; each further one is twice as long. */
  readonly pauseMs: number;
  /** Longest pause, whatever a provider asks for. */
  readonly longestPauseMs: number;
  /** If a provider requests a longer wait than this, the turn ends at once. */
  readonly maxRetryAfterMs: number;
  /** Rounds of tool calls in one turn. */
  readonly rounds: number;
  /** How often a call, or every call of a round, may fail before the turn ends. */
  readonly failures: number;
  /** Tokens that all rounds of a turn may send and receive. */
  readonly turnTokens: number;
  /** Cost of a turn in US dollars, if the price of the model is known. */
  readonly turnUsd: number;
  /** Characters of one turn's stream, which is kept in memory for clients that reconnect. */
  readonly streamCharacters: number;
}

export const CHAT_LIMITS: ChatLimits = {
  attempts: 5,
  silenceMs: 60_000,
  silentAttempts: 2,
  pauseMs: 500,
  longestPauseMs: 30_000,
  maxRetryAfterMs: 60_000,
  rounds: 100,
  failures: 3,
  turnTokens: 5_000_000,
  turnUsd: 10,
  streamCharacters: 8_000_000,
};
