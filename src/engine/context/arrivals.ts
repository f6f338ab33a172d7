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
