/** Runs resumable work in slices, because a conversation may be a megabyte. */
const SLICE_MS = 8;

/** Yields to the event loop between slices. Rejects between two steps if the signal is aborted. */
export async function runInSlices<Result>(
  work: Generator<undefined, Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  let start = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() - start < SLICE_MS) continue;
    await yieldToEventLoop(signal);
    start = performance.now();
  }
}

/** Yields one turn of the event loop. */
export async function yieldToEventLoop(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}
