/** How much a chat may take of time, of tries and of memory. */
export interface ChatLimits {
  /** Requests that one round may make of a provider, the first included. */
  readonly attempts: number;
  /** A provider that says nothing for so long is given up; tools may take as long as they like. */
  readonly silenceMs: number;
  /** Tries that may end in silence: waiting longer does not make a provider speak. */
  readonly silentAttempts: number;
  /** The first pause before another try; each is twice the one before. */
  readonly pauseMs: number;
  /** No pause is longer, whatever a provider asks for. */
  readonly longestPauseMs: number;
  /** Rounds of calls and answers in one turn. */
  readonly rounds: number;
  /** Characters of one turn's stream. It is kept whole while it runs, for those who come back to it. */
  readonly streamCharacters: number;
}

export const CHAT_LIMITS: ChatLimits = {
  attempts: 5,
  silenceMs: 60_000,
  silentAttempts: 2,
  pauseMs: 500,
  longestPauseMs: 30_000,
  rounds: 100,
  streamCharacters: 8_000_000,
};
