/** Time for display and for waiting. Entries are ordered by seq, and leases run on the store's clock. */
export interface Clock {
  /** Epoch milliseconds. May jump in either direction. */
  now(): number;
  /** Resolves after the time or when the signal is aborted; never rejects. Default: the process's timers. */
  sleep?(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
