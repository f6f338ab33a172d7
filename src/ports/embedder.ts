/** Turns texts into vectors, so that recall can compare what messages mean. */
export interface Embedder {
  /** Returns one vector for each text, all of the same length. Rejects if the provider fails. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>;
}
