/**
 * Verbs of one session, one after the other in the order in which they were asked for. One that fails keeps nobody after
 * it from their turn.
 */

export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve();
  /** What prompts bring in that wait for the same turn. */
  readonly arrivals = new Arrivals();

  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.arrivals.part();
    return this.enqueue(work);
  }

  /** The same without parting those who came before from those who come after. */
  enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Resolves when what was asked for so far is done. */
  async settle(): Promise<void> {
    await this.#last.catch(() => undefined);
  }
}

/**
 * Messages that come with prompts. Prompts that are asked for one right after the other are one burst: whoever is first
 * appends what all of them bring, so that one compaction serves them all. Each still hears only of its own failure.
 */
export interface Arrival {
  readonly next: unknown;
  /** The burst that it belongs to, as far as it is not appended yet. */
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

  /** Something else was asked for: what comes after it is appended after it. */
  part(): void {
    this.#burst = [];
  }

  /** Appends what has arrived, in order; throws what went wrong with this one. */
  static async appendAll(own: Arrival, append: (next: unknown) => Promise<unknown>): Promise<void> {
    for (const arrival of own.burst.splice(0)) {
      await append(arrival.next).catch((error: unknown) => {
        arrival.failure = { error };
      });
    }
    if (own.failure !== undefined) throw own.failure.error;
  }
}
