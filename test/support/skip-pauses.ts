/** A clock for engines whose pauses take no time in a test. Its time limits never expire. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../src/ports/clock.ts";

/** The shortest time limit for a summarizer; a shorter time is a pause. */
const MIN_LIMIT_MS = 10_000;

export const CLOCK_WITHOUT_PAUSES: Clock = { now: () => Date.now(), sleep: skipPause };

/** Ends a pause at once; a time limit ends only when its signal is aborted. */
export function skipPause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (milliseconds < MIN_LIMIT_MS) return nextTurn();
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}
