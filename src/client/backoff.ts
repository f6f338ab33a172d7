/** How long to wait before the next try: longer each time, by chance, and never shorter than the server asked for. */
const FIRST_MS = 250;
const LONGEST_MS = 30_000;

export interface BackoffOptions {
  /** From nought on. */
  readonly attempt: number;
  readonly atLeastMs?: number | undefined;
}

export function backoffMs({ attempt, atLeastMs = 0 }: BackoffOptions): number {
  const span = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return Math.max(atLeastMs, span / 2 + (Math.random() * span) / 2);
}

/** Rejects with the signal's reason as soon as it is aborted. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
