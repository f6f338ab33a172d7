/** What is known of a line without reading it again. */
export interface LineRecord {
  /** A number of `LINE_KINDS`. */
  readonly kind: number;
  /** Of an entry its place; of a session where its own entries begin; of a lease its fence. */
  readonly seq: number;
  readonly at: number;
  /** The place of an entry among all of the tenant's. */
  readonly turn: number;
  readonly offset: number;
  readonly length: number;
  /** Of an entry's id, otherwise of the session's. */
  readonly idHash: number;
}
