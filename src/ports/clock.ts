/**
 * Time for display and for waiting. Order never depends on it: entries are ordered by seq, and leases run on the
 * store's clock.
 */
export interface Clock {
  /** Epoch milliseconds. May jump in either direction. */
  now(): number;
  /**
   * Resolves after the time, or as soon as the signal is aborted; never rejects. Default: the timers of the process.
   */
  sleep?(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
