/** Drives resumable work and lets the event loop turn between its steps: a stretch may be a whole day's work. */
const SLICE_MS = 8;

/** Shared by all that breathes here, because many short pieces in a row hold a loop up as one long piece does. */
let sliceStart = performance.now();

export async function breathe<Result>(work: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (performance.now() - sliceStart >= SLICE_MS) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      sliceStart = performance.now();
    }
    if (step.done === true) return step.value;
  }
}
