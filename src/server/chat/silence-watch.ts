/** Aborts its signal when nothing was heard for a while. One timer serves a whole stream. */
export class SilenceWatch {
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #isPaused = false;

  constructor(afterMs: number) {
    this.#timer = setTimeout(() => {
      if (this.#isPaused) return;
      this.#abort.abort(new Error(`The provider said nothing for ${Math.round(afterMs / 1_000)} seconds.`));
    }, afterMs);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Something came. Paused, it waits for the next thing however long that takes. */
  hear({ isPaused }: { readonly isPaused: boolean }): void {
    this.#isPaused = isPaused;
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
