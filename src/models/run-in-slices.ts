/** Drives resumable work and lets the event loop turn between its steps: a conversation may be a megabyte. */
const SLICE_MS = 8;

/** Rejects as the signal says, between two steps. */
export async function breathe<Result>(
  work: Generator<undefined, Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  let start = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() - start < SLICE_MS) continue;
    await rest(signal);
    start = performance.now();
  }
}

/** One turn of the loop. */
export async function rest(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}
