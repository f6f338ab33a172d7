/** One thing after another: what is run waits for what was run before it, however that ended. */
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
    // The caller hears of a failure; the next in line only waits for its end.
    this.#last = result.catch(() => undefined);
    return result;
  }
}
