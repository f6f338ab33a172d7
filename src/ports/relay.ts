/**
 * What processes that share a store need to act as one: claims, of which each is held by one process at a time, and
 * words that all the others hear. A claim ends with the process that has it, however that ends. Words are heard in the
 * order in which one process said them, and may be lost: whoever needs them all numbers them and asks again.
 */
export interface Relay {
  /** False where there can be nobody else: what is said then is heard by nobody. */
  readonly isShared: boolean;
  /** True when nobody had it; it is this process's from then on. Rejects where that cannot be found out. */
  claim(key: string): Promise<boolean>;
  /** Never rejects. When it resolves the next one can claim it, unless the way to the others is lost just then. */
  release(key: string): Promise<void>;
  /** Whether another process has it. Rejects where that cannot be found out. */
  isClaimedElsewhere(key: string): Promise<boolean>;
  /** Any text, of any length, to every other process. Never rejects; resolves when it was said or is lost. */
  publish(text: string): Promise<void>;
  /** What the others say. Returns how to stop. A listener that throws is reported and stays registered. */
  listen(listener: (text: string) => void): () => void;
  /** Ends all claims. */
  close(): Promise<void>;
}
