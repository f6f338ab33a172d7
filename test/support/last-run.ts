/**
 * fast-check leaves the run that its time limit interrupts behind, and goes on. Whoever closes what such a run works on
 * waits for it first: what it would still ask of a closed store is nobody's failure.
 */
export class LastRun {
  #run: Promise<unknown> = Promise.resolve();

  /** The same property, remembered while it runs. */
  of<Values extends readonly unknown[]>(property: (...values: Values) => Promise<void>) {
    return (...values: Values): Promise<void> => {
      const run = property(...values);
      this.#run = run.catch(() => undefined);
      return run;
    };
  }

  async settle(): Promise<void> {
    await this.#run;
  }
}
