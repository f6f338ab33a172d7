/**
 * Coordinates processes that share a store: claims, each held by one process at a time, and texts published to all
 * others. A claim ends with its process, even in a crash. Texts of one process arrive in order and may be lost: a
 * receiver that needs all of them numbers them and requests missing ones.
 */
export interface Relay {
  /** False if no other process can be reached; published texts are then discarded. */
  readonly isShared: boolean;
  /** Resolves to true if the claim was free and is now this process's. Rejects if that cannot be determined. */
  claim(key: string): Promise<boolean>;
  /** Never rejects. Afterwards another process can claim it, unless the connection was lost. */
  release(key: string): Promise<void>;
  /** Returns whether another process holds the claim. Rejects if that cannot be determined. */
  isClaimedElsewhere(key: string): Promise<boolean>;
  /** Sends a text of any length to every other process. Never rejects; resolves when it is sent or lost. */
  publish(text: string): Promise<void>;
  /** Receives the texts of other processes. Returns a function that removes the listener. Errors are reported. */
  listen(listener: (text: string) => void): () => void;
  /** Releases all claims. */
  close(): Promise<void>;
}
