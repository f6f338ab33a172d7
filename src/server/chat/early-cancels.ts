/** Cancels of turns that are about to begin: whoever asks for one waits until it has begun, and it ends at once. */
export class EarlyCancels {
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();

  /** Resolves when the turn with this key has begun or will not. */
  wait(key: string): Promise<void> {
    const waiting = this.#waiting.get(key) ?? Promise.withResolvers<void>();
    this.#waiting.set(key, waiting);
    return waiting.promise;
  }

  /** Whether somebody has cancelled a turn with one of these keys, which begins now or will not. */
  take(keys: readonly string[]): boolean {
    const found = keys.filter((key) => this.#waiting.has(key));
    for (const key of found) {
      this.#waiting.get(key)?.resolve();
      this.#waiting.delete(key);
    }
    return found.length > 0;
  }
}
