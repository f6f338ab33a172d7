/** Runs the calls on one session one after the other. A call that fails does not stop the ones after it. */

export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve();
  readonly arrivals = new Arrivals();

  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.arrivals.endBurst();
    return this.enqueue(work);
  }

  enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async settle(): Promise<void> {
    await this.#last.catch(() => undefined);
  }
}

/** A message that comes with a prompt. The first prompt of a burst appends the messages of all of them. */
export interface Arrival {
  readonly next: unknown;
  /** The messages of its burst that are not appended yet. */
  readonly burst: Arrival[];
  failure?: { readonly error: unknown } | undefined;
}

export class Arrivals {
  #burst: Arrival[] = [];

  add(next: unknown): Arrival {
    const arrival: Arrival = { next, burst: this.#burst };
    this.#burst.push(arrival);
    return arrival;
  }

  /** Called when another call comes between: later messages are appended after it. */
  endBurst(): void {
    this.#burst = [];
  }

  /** Appends the messages of the burst in order. Throws the error of this one. */
  static async appendAll(own: Arrival, append: (next: unknown) => Promise<unknown>): Promise<void> {
    for (const arrival of own.burst.splice(0)) {
      await append(arrival.next).catch((error: unknown) => {
        arrival.failure = { error };
      });
    }
    if (own.failure !== undefined) throw own.failure.error;
  }
}
