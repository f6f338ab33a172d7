/**
 * Drives resumable work and lets the event loop turn between its steps. The slice of time is shared by everything that
 * breathes here: thousands of short pieces in a row hold a loop up as much as one long piece does.
 */
const SLICE_MS = 8;

let sliceStart = performance.now();

export async function runInSteps<Result>(work: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    await yieldToEventLoop();
    if (step.done === true) return step.value;
  }
}

export function yieldToEventLoop(): Promise<void> | undefined {
  return performance.now() - sliceStart >= SLICE_MS ? turnLoop() : undefined;
}

async function turnLoop(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  sliceStart = performance.now();
}

/** More than one: a very long piece must not keep everybody else waiting. */
const MOST_AT_ONCE = 2;

const waiting: (() => void)[] = [];
let running = 0;

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
