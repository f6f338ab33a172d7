/** Runs the calls on one session one after the other. A call that fails does not stop the ones after it. */
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { EngineContext } from "./engine-context.ts";
import { limitCallWait, type WaitTimer, withWaitTimer } from "./wait-timer.ts";

export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve();
  /** Calls that have not ended. */
  #length = 0;
  #onFollowed: (() => void) | undefined;
  readonly arrivals = new Arrivals();
  readonly #around: <Result>(work: () => Promise<Result>) => Promise<Result>;

  /** `around` runs each call. */
  constructor(around: <Result>(work: () => Promise<Result>) => Promise<Result> = (work) => work()) {
    this.#around = around;
  }

  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.arrivals.endBurst();
    return this.enqueue(work);
  }

  enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#onFollowed?.();
    this.#length += 1;
    const run = () => this.#around(work);
    const turn = this.#last.then(run, run);
    const leave = () => {
      this.#length -= 1;
      this.#onFollowed = undefined;
    };
    this.#last = turn.then(leave, leave);
    return turn;
  }

  /** Lets a working summarizer take longer than a prompt's limit, as long as no other call waits behind this one. */
  inLongTurn<Result>(
    context: Pick<EngineContext, "sleep">,
    readSettings: () => PlanSettings,
    work: (timer: WaitTimer) => Promise<Result>,
  ): Promise<Result> {
    return this.inTurn(async () => {
      const settings = readSettings();
      return withWaitTimer(context, limitCallWait(settings), (timer) => {
        const shorten = () => timer.shorten(settings.summary.waitMs);
        if (this.#length > 1) shorten();
        else this.#onFollowed = shorten;
        return work(timer);
      });
    });
  }

  async settle(): Promise<void> {
    await this.#last.catch(() => undefined);
  }
}

/** A message that is passed with a prompt. The first prompt of a burst appends the messages of all of them. */
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

  /** Called when another kind of call is queued: messages of later prompts are appended after that call. */
  endBurst(): void {
    this.#burst = [];
  }

  /** Takes an arrival whose burst has no other message. Returns false for any other. */
  static takeLone(own: Arrival): boolean {
    const isLone = own.burst.length === 1 && own.burst[0] === own;
    if (isLone) own.burst.pop();
    return isLone;
  }

  /** Appends all messages of the burst in order. Throws only the error of this prompt's own message. */
  static async appendAll(own: Arrival, append: (next: unknown) => Promise<unknown>): Promise<void> {
    for (const arrival of own.burst.splice(0)) {
      await append(arrival.next).catch((error: unknown) => {
        arrival.failure = { error };
      });
    }
    if (own.failure !== undefined) throw own.failure.error;
  }
}
