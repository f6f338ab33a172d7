/**
 * Whoever closes waits for what is under way, and not for ever: a job that ignores that it is told to stop is left
 * behind. What it does afterwards is refused by its store, which is closed by then.
 */
import type { OptionRule } from "../../core/check-options.ts";

export interface CloseOptions {
  /** How long work that was told to stop is waited for; half a minute without it, and never longer. */
  readonly withinMs?: number | undefined;
}

export const LONGEST_WAIT_MS = 30_000;

const PATIENCE: OptionRule = {
  allowed: `a whole number from 0 to ${LONGEST_WAIT_MS}`,
  holds: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LONGEST_WAIT_MS,
};

export const CLOSE_RULES = { withinMs: PATIENCE };

/** Whether it came to its end in time. What fails in time fails here. */
export async function endsWithin(withinMs: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), withinMs);
  try {
    // Nobody hears of what fails later.
    work.catch(() => undefined);
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
