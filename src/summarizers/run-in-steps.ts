/** Runs resumable work and yields to the event loop between its steps: a stretch may be very long. */
const SLICE_MS = 8;

/** Shared by all work here, because many short pieces in a row block the event loop like a long one. */
let sliceStart = performance.now();

export async function runInSteps<Result>(work: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (performance.now() - sliceStart >= SLICE_MS) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      sliceStart = performance.now();
    }
    if (step.done === true) return step.value;
  }
}
