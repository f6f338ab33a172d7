/**
 * Runs long work of core in steps and yields to the event loop between them, for the engine and for adapters. All work
 * shares one time slice: thousands of short steps in a row block the loop as much as one long step does.
 */
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
  return performance.now() - sliceStart >= SLICE_MS ? turnLoop() : undefined;
}

async function turnLoop(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  sliceStart = performance.now();
}

/** More than one, so that one very long piece of work does not block all others. */
const MOST_AT_ONCE = 2;

const waiting: (() => void)[] = [];
let running = 0;

/**
 * Runs work in steps, two pieces at a time in the order of their calls. Two hundred folds at once would all finish at
 * the end and hold their memory until then.
 */
export async function runQueued<Result>(work: Generator<undefined, Result>): Promise<Result> {
  if (running < MOST_AT_ONCE) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await runInSteps(work);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
