/** Runs work one after another: each waits for the end of the previous one, even if that failed. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();
  #pending = 0;

  get isIdle(): boolean {
    return this.#pending === 0;
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#pending += 1;
    const result = this.#last.then(work).finally(() => {
      this.#pending -= 1;
    });
    // Only the caller of the failed work sees its failure.
    this.#last = result.catch(() => undefined);
    return result;
  }
}
