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

/** Browsers and workers have no `setImmediate`. */
const schedule = typeof setImmediate === "function" ? setImmediate : (work: () => void) => setTimeout(work, 0);

async function waitOneTurn(): Promise<void> {
  await new Promise<void>((resolve) => schedule(resolve));
  sliceStart = performance.now();
}

/** More than one, so that one very long piece of work does not block all others. */
const MAX_RUNNING = 2;
/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface QueueLimits {
  /** While fewer pieces than this run, an owner without a running piece may start one. */
  readonly maxOwners?: number | undefined;
  /** While fewer pieces than this run, every owner may start one. Default 2. */
  readonly maxRunning?: number | undefined;
  /** Sum of the weights of running work, such as characters in memory. One piece alone may be heavier. */
  readonly maxWeight?: number | undefined;
}

export interface EnterOptions {
  /** Default 1. */
  readonly weight?: number | undefined;
  /** How long to wait. */
  readonly withinMs?: number | undefined;
}

/** The right to run one piece of work. */
export interface WorkSlot {
  /** Changes the weight without waiting. */
  resize(weight: number): void;
  /** A second call does nothing. */
  leave(): void;
}

interface Piece {
  readonly owner: object;
  weight: number;
}

interface WaitingPiece {
  readonly piece: Piece;
  readonly start: () => void;
}

/**
 * Lets a few pieces of work run at a time. Owners take turns, so that one with a hundred waiting pieces delays another
 * by only one of them; the pieces of an owner start in the order of their calls. An owner without a running piece does
 * not wait for other owners, as long as fewer than `maxOwners` pieces run and their weights leave room.
 */
export class FairQueue {
  readonly #limits: Required<{ [Key in keyof QueueLimits]: number }>;
  /** Waiting work by owner; the owner whose turn is next comes first. */
  readonly #waiting = new Map<object, WaitingPiece[]>();
  readonly #running = new Set<Piece>();

  constructor({ maxOwners = 0, maxRunning = MAX_RUNNING, maxWeight = Number.POSITIVE_INFINITY }: QueueLimits) {
    this.#limits = { maxOwners, maxRunning, maxWeight };
  }

  async run<Result>(
    owner: object,
    work: () => Promise<Result>,
    options: Pick<EnterOptions, "weight"> = {},
  ): Promise<Result> {
    const place = await this.enter(owner, options);
    try {
      return await work();
    } finally {
      place?.leave();
    }
  }

  /** Waits for a turn. Returns undefined if none came in time. */
  async enter(owner: object, { weight = 1, withinMs }: EnterOptions = {}): Promise<WorkSlot | undefined> {
    const piece = { owner, weight };
    if (this.#mayStart(piece)) this.#running.add(piece);
    else if (!(await this.#wait(piece, withinMs))) return undefined;
    return {
      resize: (changed) => {
        piece.weight = changed;
        this.#startWaiting();
      },
      leave: () => {
        if (this.#running.delete(piece)) this.#startWaiting();
      },
    };
  }

  #mayStart({ owner, weight }: Piece): boolean {
    const { maxOwners, maxRunning, maxWeight } = this.#limits;
    const running = [...this.#running];
    if (running.length === 0) return true;
    if (running.reduce((sum, each) => sum + each.weight, weight) > maxWeight) return false;
    if (running.length < maxRunning) return true;
    return running.length < maxOwners && running.every((each) => each.owner !== owner);
  }

  /** Resolves to false after the time limit. */
  #wait(piece: Piece, withinMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const own = this.#waiting.get(piece.owner) ?? [];
    this.#waiting.set(piece.owner, own);
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const waiting = {
        piece,
        start: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      own.push(waiting);
      if (withinMs > MAX_TIMER_MS) return;
      timer = setTimeout(() => {
        this.#forget(waiting);
        resolve(false);
      }, withinMs);
    });
  }

  #forget(waiting: WaitingPiece): void {
    const { owner } = waiting.piece;
    const others = this.#waiting.get(owner)?.filter((each) => each !== waiting) ?? [];
    if (others.length > 0) this.#waiting.set(owner, others);
    else this.#waiting.delete(owner);
  }

  #startWaiting(): void {
    for (;;) {
      const next = [...this.#waiting.values()].flatMap(([first]) => first ?? []);
      const waiting = next.find(({ piece }) => this.#mayStart(piece));
      if (waiting === undefined) return;
      const { owner } = waiting.piece;
      this.#forget(waiting);
      const others = this.#waiting.get(owner);
      // The owner's next piece waits for the others' turns.
      this.#waiting.delete(owner);
      if (others !== undefined) this.#waiting.set(owner, others);
      this.#running.add(waiting.piece);
      waiting.start();
    }
  }
}

/** Limits memory. Owners share the processor by time slices. */
const MAX_OWNERS = 8;
const folds = new FairQueue({ maxOwners: MAX_OWNERS });
/** Work in the background has places of its own, so that a caller never waits for it. */
const backgroundFolds = new FairQueue({ maxOwners: MAX_OWNERS });

export interface QueuedWork {
  readonly owner: object;
  /** Whether no caller waits for the result. */
  readonly isBackground?: boolean | undefined;
}

/** Runs work in steps, fairly queued. Two hundred folds at once would all finish at the end and hold their memory. */
export function runQueued<Result>(
  work: Generator<undefined, Result>,
  { owner, isBackground = false }: QueuedWork,
): Promise<Result> {
  return (isBackground ? backgroundFolds : folds).run(owner, () => runInSteps(work));
}
