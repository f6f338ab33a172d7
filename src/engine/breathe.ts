/**
 * Drives resumable work and lets the event loop turn between its steps. Short work never waits: a turn of the loop is
 * taken only once a slice of time is used up.
 */
const SLICE_MS = 8;

export async function breathe<Result>(work: Generator<undefined, Result>): Promise<Result> {
  let sliceStart = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() - sliceStart < SLICE_MS) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    sliceStart = performance.now();
  }
}
