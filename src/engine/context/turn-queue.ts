/**
 * Verbs of one session, one after the other in the order in which they were asked for. One that fails keeps nobody after
 * it from their turn.
 */
import { Arrivals } from "./arrivals.ts";

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
