/**
 * Runs long work of core in steps and yields to the event loop between them, for the engine and for adapters. All work
 * shares one time slice: thousands of short steps in a row block the loop as much as one long step does.
 */

/** Time after which work yields. */
const SLICE_MS = 8;

let sliceStart = performance.now();

/** Rejects between two steps if the signal is aborted. */
export async function runInSteps<Result>(work: Generator<undefined, Result>, signal?: AbortSignal): Promise<Result> {
  for (;;) {
    const step = work.next();
    await yieldToEventLoop();
    if (step.done === true) return step.value;
    signal?.throwIfAborted();
  }
}

/** Yields if the time slice is used up, else returns undefined. */
export function yieldToEventLoop(): Promise<void> | undefined {
  return performance.now() - sliceStart >= SLICE_MS ? waitOneTurn() : undefined;
}

async function waitOneTurn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  sliceStart = performance.now();
}

/** More than one, so that one very long piece of work does not block all others. */
const MAX_RUNNING = 2;

/**
 * Lets a few pieces of work run at a time. Owners take turns, so that one with a hundred waiting pieces delays another
 * by only one of them; the pieces of an owner start in the order of their calls. An owner without a running piece does
 * not wait for other owners, as long as fewer than `maxOwners` pieces run.
 */
export class FairQueue {
  readonly #maxOwners: number;
  /** Callbacks that start waiting work, by owner; the owner whose turn is next comes first. */
  readonly #waiting = new Map<object, (() => void)[]>();
  /** The owner of each piece that is running. */
  readonly #running: object[] = [];

  constructor(maxOwners: number) {
    this.#maxOwners = maxOwners;
  }

  async run<Result>(owner: object, work: () => Promise<Result>): Promise<Result> {
    if (!this.#mayStart(owner)) await this.#wait(owner);
    else this.#running.push(owner);
    try {
      return await work();
    } finally {
      this.#running.splice(this.#running.indexOf(owner), 1);
      this.#startNext();
    }
  }

  #mayStart(owner: object): boolean {
    const { length } = this.#running;
    return length < MAX_RUNNING || (length < this.#maxOwners && !this.#running.includes(owner));
  }

  #wait(owner: object): Promise<void> {
    const starts = this.#waiting.get(owner) ?? [];
    this.#waiting.set(owner, starts);
    return new Promise((resolve) => starts.push(resolve));
  }

  #startNext(): void {
    const owner = [...this.#waiting.keys()].find((each) => this.#mayStart(each));
    if (owner === undefined) return;
    const [start, ...others] = this.#waiting.get(owner) ?? [];
    this.#waiting.delete(owner);
    if (others.length > 0) this.#waiting.set(owner, others);
    this.#running.push(owner);
    start?.();
  }
}

/** Limits memory. Owners share the processor by time slices. */
const MAX_OWNERS = 8;
const folds = new FairQueue(MAX_OWNERS);

/** Runs work in steps, fairly queued. Two hundred folds at once would all finish at the end and hold their memory. */
export function runQueued<Result>(work: Generator<undefined, Result>, owner: object): Promise<Result> {
  return folds.run(owner, () => runInSteps(work));
}
