/** The time, for people to read, and to wait by. Order never depends on it: entries are ordered by seq, leases by the store's clock. */
export interface Clock {
  /** Epoch milliseconds. May jump in either direction. */
  now(): number;
  /** Resolves after the time, or as soon as the signal is aborted; never rejects. Timers of the process without it. */
  sleep?(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
