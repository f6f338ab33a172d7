/** The time, for people to read. Order never depends on it: entries are ordered by seq, leases by the store's clock. */
export interface Clock {
  /** Epoch milliseconds. May jump in either direction. */
  now(): number;
}
